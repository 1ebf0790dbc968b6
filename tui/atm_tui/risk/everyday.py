"""Common programs whose arguments are neither commands nor dangerous."""

from atm_tui.risk.tables import read_names

EVERYDAY = read_names("""
    [ [[ : true false test expr echo printf pwd cd pushd popd dirs ls ll la dir tree exa eza lsd cat bat tac nl head
    tail less more most grep egrep fgrep zgrep rg ag ack ugrep wc sort uniq cut tr paste join comm column fold fmt rev
    shuf seq yes od xxd hexdump hd strings diff colordiff delta cmp sdiff vimdiff patch md5 md5sum sha1sum sha256sum
    sha512sum shasum cksum b2sum sum base64 base32 jq yq xq dasel gron fx miller mlr csvkit csvcut csvgrep xsv qsv
    file stat readlink realpath basename dirname mktemp touch mkdir cp mv ln rmdir date cal uptime uname arch whoami
    id groups who w users last finger locale getconf nproc free df du lsblk blkid lscpu lsusb lspci lsmod lsof ps
    pstree top htop btop atop iotop iostat vmstat mpstat sar pgrep pidof jobs fg bg wait sleep tty stty clear reset
    tput which whereis type whatis man info help apropos tldr return exit break continue shift let read readarray
    mapfile local declare typeset readonly export unset set shopt hash getopts ulimit umask logger bc dc factor numfmt
    iconv dos2unix unix2dos tar unzip zip zipinfo gzip gunzip zcat bzip2 bunzip2 xz unxz zstd unzstd lz4 7z 7za ar
    cpio ping ping6 traceroute tracepath mtr dig host nslookup whois netstat ss arp ruff black isort flake8 pylint
    mypy pyright pytype pytest py.test tox nox unittest bandit pyflakes pycodestyle pydocstyle autopep8 yapf djlint
    sqlfluff sphinx-build jupyter ipython nbconvert cython maturin coverage tsc eslint prettier biome oxlint jest
    vitest mocha ava cypress playwright webpack rollup vite esbuild parcel babel swc tsup ng storybook stylelint
    lint-staged nyc c8 karma svelte-check vue-tsc tailwindcss postcss sass typedoc knip rustc rustfmt rustdoc
    rust-analyzer clippy-driver gcc g++ cc c++ clang clang++ clang-format clang-tidy ld as nm objdump readelf size
    strip ctest cpack meson autoconf automake configure pkg-config gofmt goimports golangci-lint staticcheck gopls dlv
    javac java javap kotlinc kotlin scalac ghci ocaml elixir nim swift swiftc swiftlint xcodebuild xcrun phpunit
    phpstan phpcs psalm pint rubocop rspec shellcheck shfmt hadolint yamllint actionlint markdownlint
    markdownlint-cli2 vale cspell codespell typos checkov tflint tfsec trivy grype syft semgrep gitleaks dive cloc
    tokei scc onefetch code cursor subl open xdg-open nano pico emacs micro zed idea pycharm convert magick identify
    ffmpeg ffprobe sox pandoc pdftotext pdfinfo exiftool gs dot graphviz plantuml latex pdflatex xelatex latexmk
    node-gyp wget2 say afplay pbcopy xclip xsel wl-copy figlet cowsay lolcat fortune tig lazygit gitk git-lfs diffstat
    ctags etags cscope gtags fzf sk peco zoxide z autojump sha224sum sha384sum split csplit pr expand unexpand tsort
    look getent getfattr getfacl lsattr namei locate mlocate plocate sw_vers system_profiler mdfind mdls sips otool
""")
