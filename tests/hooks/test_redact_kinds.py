"""A table of the kinds of credentials: each line holds one, and it never comes through. The rest of the line stays."""

import random
import string

import pytest

from atm_hooks.redact import redact

ANY = string.ascii_letters + string.digits
URL = ANY + "-_"
HEX = "0123456789abcdef"
CAPS = string.ascii_uppercase + string.digits
LOW = string.ascii_lowercase + string.digits
NUM = string.digits


def made(alphabet: str, length: int, seed: int = 7) -> str:
    """A made-up token; the same each time."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


TOKENS = {
    "Anthropic key": "sk-ant-api03-" + made(URL, 95),
    "Anthropic OAuth": "sk-ant-oat01-" + made(URL, 90),
    "OpenAI": "sk-" + made(ANY, 48),
    "OpenAI project": "sk-proj-" + made(URL, 120),
    "OpenAI service account": "sk-svcacct-" + made(URL, 100),
    "OpenRouter": "sk-or-v1-" + made(HEX, 64),
    "Stripe secret": "sk_live_" + made(ANY, 24),
    "Stripe restricted": "rk_live_" + made(ANY, 24),
    "Stripe webhook": "whsec_" + made(ANY, 32),
    "GitHub classic": "ghp_" + made(ANY, 36),
    "GitHub OAuth": "gho_" + made(ANY, 36),
    "GitHub server": "ghs_" + made(ANY, 36),
    "GitHub fine-grained": "github_pat_" + made(ANY, 22) + "_" + made(ANY, 59),
    "GitLab": "glpat-" + made(ANY, 20),
    "GitLab runner": "glrt-" + made(ANY, 20),
    "Grafana": "glsa_" + made(ANY, 32) + "_" + made(HEX, 8),
    "Slack bot": "xoxb-" + made(NUM, 12) + "-" + made(NUM, 12) + "-" + made(ANY, 24),
    "Slack app": "xapp-1-A" + made(CAPS, 10) + "-" + made(NUM, 12) + "-" + made(HEX, 64),
    "AWS key id": "AKIA" + made(CAPS, 16),
    "AWS session key id": "ASIA" + made(CAPS, 16),
    "Google API": "AIza" + made(URL, 35),
    "Google OAuth": "ya29." + made(URL, 60),
    "Google client secret": "GOCSPX-" + made(ANY, 28),
    "Google refresh": "1//0" + made(ANY, 60),
    "npm": "npm_" + made(ANY, 36),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + made(ANY, 60),
    "RubyGems": "rubygems_" + made(HEX, 48),
    "NuGet": "oy2" + made(LOW, 43),
    "Docker Hub": "dckr_pat_" + made(ANY, 27),
    "Hugging Face": "hf_" + made(ANY, 34),
    "Groq": "gsk_" + made(ANY, 52),
    "xAI": "xai-" + made(ANY, 80),
    "Replicate": "r8_" + made(ANY, 37),
    "Perplexity": "pplx-" + made(ANY, 48),
    "NVIDIA": "nvapi-" + made(ANY, 64),
    "Tavily": "tvly-" + made(ANY, 32),
    "Jina": "jina_" + made(HEX, 32) + made(ANY, 28),
    "Cerebras": "csk-" + made(LOW, 48),
    "Voyage": "pa-" + made(ANY, 43),
    "DigitalOcean": "dop_v1_" + made(HEX, 64),
    "SendGrid": "SG." + made(ANY, 22) + "." + made(ANY, 43),
    "Mailgun": "key-" + made(HEX, 32),
    "Vault": "hvs." + made(ANY, 90),
    "Terraform Cloud": made(ANY, 14) + ".atlasv1." + made(ANY, 60),
    "Shopify": "shpat_" + made(HEX, 32),
    "Databricks": "dapi" + made(HEX, 32),
    "Notion": "ntn_" + made(ANY, 46),
    "Notion, older": "secret_" + made(ANY, 43),
    "Supabase": "sbp_" + made(HEX, 40),
    "PlanetScale": "pscale_tkn_" + made(ANY, 43),
    "Tailscale": "tskey-auth-" + made(ANY, 17) + "-" + made(ANY, 32),
    "Fly.io": "fm2_" + made(ANY, 80),
    "Atlassian": "ATATT3" + made(URL, 180),
    "Linear": "lin_api_" + made(ANY, 40),
    "Figma": "figd_" + made(ANY, 40),
    "Square": "sq0csp-" + made(ANY, 43),
    "Postman": "PMAK-" + made(HEX, 24) + "-" + made(HEX, 34),
    "New Relic": "NRAK-" + made(CAPS, 27),
    "Sentry": "sntrys_" + made(ANY, 60),
    "Contentful": "CFPAT-" + made(ANY, 43),
    "Doppler": "dp.pt." + made(ANY, 43),
    "1Password": "ops_eyJ" + made(ANY, 200),
    "age": "AGE-SECRET-KEY-1" + made(CAPS, 58),
    "Telegram": made(NUM, 10) + ":AA" + made(ANY, 33),
    "Discord": "MTA" + made(ANY, 23) + "." + made(ANY, 6) + "." + made(ANY, 38),
    "Firebase": "AAAA" + made(ANY, 7) + ":APA91b" + made(ANY, 134),
    "Facebook": "EAAC" + made(ANY, 120),
    "PostHog": "phx_" + made(ANY, 43),
    "Vercel": "vercel_" + made(ANY, 40),
    "JSON web token": "eyJhbGciOiJIUzI1NiJ9." + made(ANY, 60) + "." + made(ANY, 43),
}
"""Tokens of services, by their form."""

SECRET = "hunter2trees"
LINES = [
    # sentences
    "the password is {}",
    "my password is: {}",
    "Password is '{}' for now",
    "the admin passphrase was {}",
    "log in with user bob and password {}",
    "use the api key {} please",
    "machine example.org login bob password {}",
    # assignments
    "DB_PASS={} make test",
    "export PGPASSWORD={}",
    "MYSQL_PWD={} mysql",
    '$env:API_KEY = "{}"',
    "set -x GITHUB_TOKEN {}",
    "setenv GITHUB_TOKEN {}",
    "ENV APP_SECRET {}",
    "ARG NPM_TOKEN={}",
    "docker run -e POSTGRES_PASSWORD={} db",
    "heroku config:set SECRET_KEY_BASE={}",
    "kubectl create secret generic x --from-literal=password={}",
    "aws configure set aws_secret_access_key {}",
    "npm config set //example.org/:_authToken {}",
    # options
    "login --password {}",
    "login --pass={}",
    "tool --api-key {} run",
    "tool --auth-token={} run",
    "openssl rsa -passin pass:{} -in k.pem",
    "openssl enc -aes-256-cbc -k {} -in a",
    "gpg --batch --passphrase {} -d a.gpg",
    "zip -P {} a.zip b",
    "unzip -P {} a.zip",
    "7z x -p{} a.7z",
    "sshpass -p {} ssh h",
    "sshpass -p{} ssh h",
    "ssh-keygen -t ed25519 -N {} -f k",
    "redis-cli -a {} ping",
    "ldapsearch -D cn=x -w {} -b dc=y",
    "mongosh -u bob -p {} db",
    "mysqldump -ubob -p{} shop",
    "docker login -u bob -p {} example.org",
    "htpasswd -b users bob {}",
    "smbclient //h/s -U bob%{}",
    "curl -u bob:{} https://example.org",
    "curl --user 'bob:{}' https://example.org",
    "wget --http-password={} https://example.org",
    "sqlplus scott/{}@shop",
    "echo {} | sudo -S reboot",
    "echo '{}' | docker login --password-stdin",
    "gh secret set NAME --body {}",
    # headers
    "curl -H 'X-Api-Key: {}' u",
    "curl -H 'X-Auth-Token: {}' u",
    'curl -H "Authorization: Bearer {}" u',
    "Authorization: Basic {}",
    "Proxy-Authorization: Basic {}",
    "Ocp-Apim-Subscription-Key: {}",
    "Cookie: sid={}; theme=dark",
    "Set-Cookie: session={}; Path=/",
    "PHPSESSID={} curl u",
    # addresses
    "git clone https://bob:{}@example.org/r.git",
    "git clone https://x-access-token:{}@example.org/r.git",
    "postgres://bob:{}@db:5432/shop",
    "mongodb+srv://bob:{}@db/shop",
    "amqp://bob:{}@mq",
    "redis://:{}@cache:6379",
    "jdbc:mysql://db/shop?user=bob&password={}",
    "https://example.org/?api_key={}&page=2",
    "https://example.org/f?X-Amz-Signature={}",
    "https://example.org/f?se=1&sig={}",
    "https://hooks.slack.com/services/T0000/B0000/{}",
    "https://discord.com/api/webhooks/1234/{}",
    "https://api.telegram.org/bot1234:{}/getMe",
    "otpauth://totp/shop?secret={}",
    # files
    "password: {}",
    "  api_key: '{}'",
    'client_secret = "{}"',
    "secret={}",
    '{{"apiKey":"{}"}}',
    '{{"password": "{}", "user": "bob"}}',
    '{{\\"password\\": \\"{}\\"}}',
    "<password>{}</password>",
    "'password' => '{}',",
    'Password: "{}",',
    "Server=db;User Id=bob;Password={};Database=shop",
    "Server=db;Uid=bob;Pwd={};",
    "DefaultEndpointsProtocol=https;AccountKey={};EndpointSuffix=x",
    '"private_key": "{}"',
    "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n{}",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n{}",
    # values that go on behind a sign, or look like a variable
    "password=abc,{}",
    "password=ab;{}",
    "PASSWORD='$ecret{}'",
    "PASSWORD='<{}'",
    'PASSWORD="$ecret-{}!"',
    "api_key: '$2b$12${}'",
]


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_of_a_service_is_replaced(kind: str) -> None:
    token = TOKENS[kind]
    for place in ("curl -H 'x: {}' y", "use {} now", "a\n{}"):
        left = redact(place.format(token))
        assert left.replace("[redacted]", "") == place.format("").replace("{}", ""), left


@pytest.mark.parametrize("line", LINES)
def test_a_credential_is_replaced_by_what_stands_around_it(line: str) -> None:
    given = line.format(SECRET)
    left = redact(given)
    assert SECRET not in left
    assert "[redacted]" in left
    assert left.split()[0][:4] == given.split()[0][:4] or given.startswith("-----BEGIN")
    assert redact(left) == left


def test_there_are_at_least_a_hundred_kinds() -> None:
    assert len(TOKENS) + len(LINES) >= 100
    assert len(TOKENS) >= 40


@pytest.mark.parametrize(
    "line",
    [
        "the password is not checked here",
        "password is required",
        "the token was expired",
        "the secret is to keep it simple",
        "what is the api key for?",
        "PWD=/home/bob make",
        "cd $PWD && ls",
        "echo done | sudo tee /etc/motd",
        "mkdir -p a/b && cp -a x y",
        "tar -p -xf a.tar",
        "ssh -p 2222 example.org",
        "docker run -p 8080:80 nginx",
        "redis-cli ping",
        "uv pip install -p python3.12 x",
        "npx tsc -p tsconfig.json",
        "pytest -k password -p no:cacheprovider",
        "rename getUserByIdAndName2 to findUserByIdAndName2InDatabase",
        "8f14e45fceea167a5a36dedd4bea2543d2ba7e8d is the commit",
        "docker pull x@sha256:2dc477ac10d6c07b3fe008f6360377333740d8a2fd15bbe6c477ac10d6c07b3f",
        "toolu_01A09q90qw90lq917835lq9Xy is the call",
        "/home/bob/.cache/pip/http-v2/a/b/c/d/e/abcde1234567890ABCDEabcdefg",
        "password: str = Field(min_length=8)",
        'password = os.environ["PASSWORD"]',
        "token: ${{ secrets.NPM_TOKEN }}",
        'PASSWORD="$DB_PASSWORD" psql',
        'PASSWORD="${DB_PASSWORD}" psql',
        'PASSWORD="$(cat secret.txt)" psql',
        "password: <your password>",
        "tokens: 4096",
        "scott/tiger is a folder",
        "-----BEGIN CERTIFICATE-----",
        "https://hooks.slack.com/services is the address",
    ],
)
def test_a_line_without_a_credential_stays(line: str) -> None:
    assert redact(line) == line
