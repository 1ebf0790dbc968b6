"""Made-up tokens of services, by their form; the same in each run."""

import random
import string

from atm_hooks.redact import redact
from atm_hooks.secret_signs import may_contain_secret

ANY = string.ascii_letters + string.digits
URL = ANY + "-_"
HEX = "0123456789abcdef"
CAPS = string.ascii_uppercase + string.digits
LOW = string.ascii_lowercase + string.digits
NUM = string.digits


def redact_text(given: str) -> str:
    """Returns what `redact` makes of a text, which has to have a sign of a credential if that differs."""
    redacted = redact(given)
    assert redacted == given or may_contain_secret(given)
    return redacted


def make_token(alphabet: str, length: int, seed: int = 7) -> str:
    """Returns a made-up part of a token; the same each time."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


TOKENS = {
    "Anthropic key": "sk-ant-api03-" + make_token(URL, 95),
    "Anthropic OAuth": "sk-ant-oat01-" + make_token(URL, 90),
    "OpenAI": "sk-" + make_token(ANY, 48),
    "OpenAI project": "sk-proj-" + make_token(URL, 120),
    "OpenAI service account": "sk-svcacct-" + make_token(URL, 100),
    "OpenRouter": "sk-or-v1-" + make_token(HEX, 64),
    "Stripe secret": "sk_live_" + make_token(ANY, 24),
    "Stripe restricted": "rk_live_" + make_token(ANY, 24),
    "Stripe webhook": "whsec_" + make_token(ANY, 32),
    "GitHub classic": "ghp_" + make_token(ANY, 36),
    "GitHub OAuth": "gho_" + make_token(ANY, 36),
    "GitHub server": "ghs_" + make_token(ANY, 36),
    "GitHub fine-grained": "github_pat_" + make_token(ANY, 22) + "_" + make_token(ANY, 59),
    "GitLab": "glpat-" + make_token(ANY, 20),
    "GitLab runner": "glrt-" + make_token(ANY, 20),
    "Grafana": "glsa_" + make_token(ANY, 32) + "_" + make_token(HEX, 8),
    "Slack bot": "xoxb-" + make_token(NUM, 12) + "-" + make_token(NUM, 12) + "-" + make_token(ANY, 24),
    "Slack app": "xapp-1-A" + make_token(CAPS, 10) + "-" + make_token(NUM, 12) + "-" + make_token(HEX, 64),
    "AWS key id": "AKIA" + make_token(CAPS, 16),
    "AWS session key id": "ASIA" + make_token(CAPS, 16),
    "Google API": "AIza" + make_token(URL, 35),
    "Google OAuth": "ya29." + make_token(URL, 60),
    "Google client secret": "GOCSPX-" + make_token(ANY, 28),
    "Google refresh": "1//0" + make_token(ANY, 60),
    "npm": "npm_" + make_token(ANY, 36),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + make_token(ANY, 60),
    "RubyGems": "rubygems_" + make_token(HEX, 48),
    "NuGet": "oy2" + make_token(LOW, 43),
    "Docker Hub": "dckr_pat_" + make_token(ANY, 27),
    "Hugging Face": "hf_" + make_token(ANY, 34),
    "Groq": "gsk_" + make_token(ANY, 52),
    "xAI": "xai-" + make_token(ANY, 80),
    "Replicate": "r8_" + make_token(ANY, 37),
    "Perplexity": "pplx-" + make_token(ANY, 48),
    "NVIDIA": "nvapi-" + make_token(ANY, 64),
    "Tavily": "tvly-" + make_token(ANY, 32),
    "Jina": "jina_" + make_token(HEX, 32) + make_token(ANY, 28),
    "Cerebras": "csk-" + make_token(LOW, 48),
    "Voyage": "pa-" + make_token(ANY, 43),
    "DigitalOcean": "dop_v1_" + make_token(HEX, 64),
    "SendGrid": "SG." + make_token(ANY, 22) + "." + make_token(ANY, 43),
    "Mailgun": "key-" + make_token(HEX, 32),
    "Vault": "hvs." + make_token(ANY, 90),
    "Terraform Cloud": make_token(ANY, 14) + ".atlasv1." + make_token(ANY, 60),
    "Shopify": "shpat_" + make_token(HEX, 32),
    "Databricks": "dapi" + make_token(HEX, 32),
    "Notion": "ntn_" + make_token(ANY, 46),
    "Notion, older": "secret_" + make_token(ANY, 43),
    "Supabase": "sbp_" + make_token(HEX, 40),
    "PlanetScale": "pscale_tkn_" + make_token(ANY, 43),
    "Tailscale": "tskey-auth-" + make_token(ANY, 17) + "-" + make_token(ANY, 32),
    "Fly.io": "fm2_" + make_token(ANY, 80),
    "Atlassian": "ATATT3" + make_token(URL, 180),
    "Linear": "lin_api_" + make_token(ANY, 40),
    "Figma": "figd_" + make_token(ANY, 40),
    "Square": "sq0csp-" + make_token(ANY, 43),
    "Postman": "PMAK-" + make_token(HEX, 24) + "-" + make_token(HEX, 34),
    "New Relic": "NRAK-" + make_token(CAPS, 27),
    "Sentry": "sntrys_" + make_token(ANY, 60),
    "Contentful": "CFPAT-" + make_token(ANY, 43),
    "Doppler": "dp.pt." + make_token(ANY, 43),
    "1Password": "ops_eyJ" + make_token(ANY, 200),
    "age": "AGE-SECRET-KEY-1" + make_token(CAPS, 58),
    "Telegram": make_token(NUM, 10) + ":AA" + make_token(ANY, 33),
    "Discord": "MTA" + make_token(ANY, 23) + "." + make_token(ANY, 6) + "." + make_token(ANY, 38),
    "Firebase": "AAAA" + make_token(ANY, 7) + ":APA91b" + make_token(ANY, 134),
    "Facebook": "EAAC" + make_token(ANY, 120),
    "PostHog": "phx_" + make_token(ANY, 43),
    "Vercel": "vercel_" + make_token(ANY, 40),
    "JSON web token": "eyJhbGciOiJIUzI1NiJ9." + make_token(ANY, 60) + "." + make_token(ANY, 43),
}
"""Tokens of services, by their form."""
