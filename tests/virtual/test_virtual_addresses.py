"""Where the page is found, who has to show a token there, and how the browser gets to it."""

from __future__ import annotations

import logging
import os
import pwd
import re
import socket
import stat
import threading
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from firmware import cli
from firmware.commands import play as play_module
from firmware.errors import OnceAMinute
from firmware.virtual import addresses, browser
from firmware.virtual.addresses import others_may_log_in, token_of, urls
from firmware.virtual.browser import open_beside
from firmware.virtual.faults import LOG
from firmware.virtual.listening import Listening
from firmware.virtual.server import VirtualTable
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
from tests.support.virtual_standins import Field, Fingers, Lights, Panel, printed

IP4, IP6 = socket.AF_INET, socket.AF_INET6


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[socket.AddressFamily, tuple[str | None, list[str]]]:
    """A machine's way out and networks, of each family; empty at first."""
    has: dict[socket.AddressFamily, tuple[str | None, list[str]]] = {IP4: (None, []), IP6: (None, [])}
    monkeypatch.setattr(addresses, "way_out", lambda family: has[family][0])
    monkeypatch.setattr(addresses, "networks", lambda family: iter(has[family][1]))
    return has


def hosts(listening: Listening) -> list[str]:
    found = [urlsplit(url) for url in urls(listening)]
    assert all(url.port == listening.port and url.path == "/" for url in found)
    return [url.netloc.rpartition(":")[0] for url in found]


def test_f28_for_all_networks_the_way_out_is_printed_first_and_then_the_others(machine: dict) -> None:
    machine[IP4] = ("192.168.1.7", ["127.0.0.1", "10.0.0.2", "192.168.1.7", "172.17.0.1"])
    machine[IP6] = ("2001:db8:1::7", ["::1", "fe80::1234", "fd00::7", "2001:db8:1::7"])
    assert hosts(Listening("0.0.0.0")) == ["192.168.1.7", "10.0.0.2", "172.17.0.1"]
    assert hosts(Listening("::")) == ["[2001:db8:1::7]", "[fd00::7]"]
    assert hosts(Listening("")) == ["192.168.1.7", "10.0.0.2", "172.17.0.1", "[2001:db8:1::7]", "[fd00::7]"]


def test_f28_without_a_way_out_the_networks_that_there_are_are_printed(machine: dict) -> None:
    machine[IP4] = (None, ["127.0.0.1", "10.42.0.1"])
    assert hosts(Listening("0.0.0.0")) == ["10.42.0.1"]


def test_f28_without_any_network_the_machine_itself_is_printed(machine: dict) -> None:
    machine[IP4], machine[IP6] = (None, ["127.0.0.1"]), (None, ["::1", "fe80::1"])
    assert hosts(Listening("0.0.0.0")) == ["127.0.0.1"]
    assert hosts(Listening("::")) == ["[::1]"]


@pytest.mark.parametrize(
    ("host", "shown"), [("192.168.1.7", "192.168.1.7"), ("tacocat.local", "tacocat.local"), ("fd00::7", "[fd00::7]")]
)
def test_a_host_that_was_named_is_printed_as_it_was_named(host: str, shown: str) -> None:
    assert hosts(Listening(host)) == [shown]


def test_f28_every_address_that_is_printed_for_all_networks_leads_to_the_page() -> None:
    parts = Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]
    with VirtualTable(parts, printed(), Listening("0.0.0.0", 0)) as table:
        assert table.url == table.urls[0]
        for url in table.urls:
            found = urlsplit(url)
            assert found.hostname and found.hostname not in (socket.gethostname(), "0.0.0.0")
            with socket.create_connection((found.hostname, table.port), timeout=10) as sock:
                sock.sendall(f"GET / HTTP/1.1\r\nHost: {found.netloc}\r\n\r\n".encode())
                assert sock.recv(12) == b"HTTP/1.1 200"


def test_the_machines_own_networks_are_read_as_addresses() -> None:
    for family in (IP4, IP6):
        for address in (*addresses.networks(family), addresses.way_out(family)):
            assert address is None or socket.inet_pton(family, address)


def test_a_machine_that_tells_nothing_of_its_networks_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("not here")

    monkeypatch.setattr(socket, "if_nameindex", fail)
    monkeypatch.setattr(Path, "read_text", fail)
    assert [*addresses.networks(IP4), *addresses.networks(IP6)] == []
    monkeypatch.setattr(socket, "socket", fail)
    assert [*addresses.networks(IP4), addresses.way_out(IP4), addresses.way_out(IP6)] == [None, None]


# ---- the token -------------------------------------------------------------------------------------


def account(uid: int, shell: str = "/bin/bash") -> pwd.struct_passwd:
    return pwd.struct_passwd(("name", "x", uid, uid, "", "/", shell))


SYSTEM = [
    account(0),
    account(1, "/usr/sbin/nologin"),
    account(4, "/bin/sync"),
    account(101, "/bin/bash"),  # as a database has it
    account(998, "/bin/false"),
    account(65534, "/usr/sbin/nologin"),
]


@pytest.mark.parametrize(
    ("accounts", "own", "shared"),
    [
        ([*SYSTEM, account(1000)], 1000, False),
        ([*SYSTEM, account(1000), account(1001)], 1000, True),
        ([*SYSTEM, account(1000), account(1001, "/sbin/nologin")], 1000, False),
        (SYSTEM, 0, False),
        ([*SYSTEM, account(1000)], 0, True),
        ([*SYSTEM, account(1000)], 998, True),
        (SYSTEM, 71234, True),  # our account comes from a directory: others' may, too
        ([], 1000, True),
        ([account(501, "/bin/zsh")], 501, False),
        ([*SYSTEM, account(499), account(500)], 500, False),  # from 500 on they are people's
        ([*SYSTEM, account(500)], 0, True),
    ],
)
def test_f38_a_machine_is_shared_if_somebody_else_may_log_in(
    accounts: list[pwd.struct_passwd], own: int, shared: bool
) -> None:
    assert others_may_log_in(accounts, own) is shared


def test_f38_the_token_is_asked_for_by_networks_and_on_shared_machines() -> None:
    assert token_of(Listening()) is None
    assert token_of(Listening("localhost")) is None
    assert token_of(Listening(shared=True))
    assert token_of(Listening("0.0.0.0")) == token_of(Listening(shared=True)), "one run, one token"


@pytest.mark.parametrize("shared", [True, False])
def test_f38_the_program_looks_who_may_use_the_machine(monkeypatch: pytest.MonkeyPatch, shared: bool) -> None:
    given: list[Listening] = []
    monkeypatch.setattr(addresses, "others_may_log_in", lambda: shared)
    monkeypatch.setattr(play_module, "play", lambda options, say: given.append(options.listening))
    assert cli.main(["board", "--virtual", "--port", "8123", "--allow-host", "Table.Example."]) == 0
    assert given == [Listening("127.0.0.1", 8123, ("table.example",), shared)]


# ---- the command line ------------------------------------------------------------------------------


def test_f26_more_names_are_given_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Listening] = []
    monkeypatch.setattr(play_module, "play", lambda options, say: given.append(options.listening))
    names = ["table.example", "xn--bcher-kva.example", "192.168.1.7", "fd00::7", "[fd00::8]"]
    assert cli.main(["play", "--virtual", *(word for name in names for word in ("--allow-host", name))]) == 0
    assert given[0].names == (*names[:-1], "fd00::8")


@pytest.mark.parametrize("name", ["", "a b", "table.example:8000", "http://table.example", "*", "a/b", "\x1b[2J", "ä"])
def test_f26_what_is_no_name_is_refused_in_words(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["play", "--virtual", "--allow-host", name])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "is not a name of a host" in said and "\x1b" not in said


# ---- the browser -----------------------------------------------------------------------------------


def test_f25_a_browser_in_the_foreground_is_waited_for_by_nobody() -> None:
    gone_on, shut, stayed = threading.Event(), threading.Event(), list[bool]()

    def foreground(address: str) -> None:
        stayed.append(gone_on.wait(10))
        shut.set()

    with ExitStack() as closing:
        open_beside("http://127.0.0.1:8000/", closing, foreground)
        gone_on.set()
        assert shut.wait(10) and stayed == [True]


def test_f25_a_browser_that_cannot_be_opened_is_said_and_nothing_else(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LOG, "filters", [OnceAMinute()])
    done = threading.Event()

    class Fails(Exception):
        pass

    def fails(address: str) -> None:
        raise Fails("no browser \x1b[2J")

    monkeypatch.setattr(LOG, "handle", lambda record: (logging.Logger.handle(LOG, record), done.set()))
    with ExitStack() as closing:
        open_beside("http://127.0.0.1:8000/", closing, fails)
        assert done.wait(10)
    (line,) = caplog.messages
    assert line.startswith("No browser could be opened: open the address by hand: Fails: no browser \ufffd[2J")


def test_f38_an_address_with_a_token_goes_by_a_file_that_only_we_can_read() -> None:
    url, told, opened = "http://127.0.0.1:8000/#token=s3cret&x", list[str](), threading.Event()
    with ExitStack() as closing:
        open_beside(url, closing, lambda address: (told.append(address), opened.set()))
        assert opened.wait(10)
        assert "s3cret" not in told[0] and told[0].startswith("file:///")
        file = Path(unquote(urlsplit(told[0]).path))
        text = file.read_text(encoding="utf-8")
        assert re.search(r'http-equiv="refresh" content="0; url=http://127.0.0.1:8000/#token=s3cret&amp;x"', text)
        for path, mode in ((file, 0o600), (file.parent, 0o700)):
            assert stat.S_IMODE(path.stat().st_mode) == mode and path.stat().st_uid == os.getuid()
    assert not file.parent.exists()


def test_an_address_without_a_token_is_opened_as_it_is() -> None:
    told, opened = list[str](), threading.Event()
    with ExitStack() as closing:
        open_beside("http://127.0.0.1:8000/", closing, lambda address: (told.append(address), opened.set()))
        assert opened.wait(10)
    assert told == ["http://127.0.0.1:8000/"]


@pytest.mark.parametrize(
    ("environment", "desktop"), [({}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True)]
)
def test_a_browser_is_opened_only_where_it_has_a_window(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], desktop: bool
) -> None:
    monkeypatch.setattr(browser.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert browser.has_desktop() is desktop


@pytest.mark.parametrize(("found", "told"), [(True, 0), (False, 1)])
def test_f25_where_there_is_no_browser_that_is_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, found: bool, told: int
) -> None:
    monkeypatch.setattr(LOG, "filters", [OnceAMinute()])
    monkeypatch.setattr("webbrowser.open", lambda url: found)
    browser._open("http://127.0.0.1:8000/", browser._run)
    assert len(caplog.messages) == told
    assert all("OSError: there is none, or it has failed" in line for line in caplog.messages)
