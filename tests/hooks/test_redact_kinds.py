"""A table of the kinds of credentials: each line holds one, and it never comes through. The rest of the line stays."""

import pytest

from tests.hooks.credentials import TOKENS, redact_text

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


@pytest.mark.parametrize("line", LINES)
def test_a_credential_is_recognized_by_its_context(line: str) -> None:
    given = line.format(SECRET)
    left = redact_text(given)
    assert SECRET not in left
    assert "[redacted]" in left
    assert left.split()[0][:4] == given.split()[0][:4] or given.startswith("-----BEGIN")
    assert redact_text(left) == left


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
def test_a_line_without_a_credential_is_unchanged(line: str) -> None:
    assert redact_text(line) == line
