"""The emulated MFRC522's registers as the datasheet's tables have them (rev. 3.9, chapter 9): here in their order."""

from __future__ import annotations

import pytest

from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522, Refused
from hardware.twins.rc522_core import COMMANDS, READERS, WRITERS
from hardware.twins.virtual_time import VirtualTime

# Address, name, value after a reset; a dash: reserved. (StatusReg1 shows an empty FIFO, VersionReg the version.)
TABLE = """
00 -             -   10 -             -   20 -            -   30 -             -
01 COMMAND       20  11 MODE          3f  21 CRC_RESULT_H ff  31 .             00
02 COM_I_EN      80  12 TX_MODE       00  22 CRC_RESULT_L ff  32 .             00
03 DIV_I_EN      00  13 RX_MODE       00  23 -            -   33 TEST_PIN_EN   80
04 COM_IRQ       14  14 TX_CONTROL    80  24 MOD_WIDTH    26  34 .             00
05 DIV_IRQ       00  15 TX_ASK        00  25 -            -   35 .             00
06 ERROR         00  16 TX_SEL        10  26 RF_CFG       48  36 AUTO_TEST     40
07 STATUS1       21  17 RX_SEL        84  27 GS_N         88  37 VERSION       92
08 STATUS2       00  18 RX_THRESHOLD  84  28 CW_GS_P      20  38 .             00
09 FIFO_DATA     00  19 DEMOD         4d  29 MOD_GS_P     20  39 .             00
0a FIFO_LEVEL    00  1a -             -   2a T_MODE       00  3a .             00
0b WATER_LEVEL   08  1b -             -   2b T_PRESCALER  00  3b .             00
0c CONTROL       10  1c MF_TX         62  2c T_RELOAD_H   00  3c -             -
0d BIT_FRAMING   00  1d MF_RX         00  2d T_RELOAD_L   00  3d -             -
0e COLL          a0  1e -             -   2e T_COUNTER_H  00  3e -             -
0f -             -   1f SERIAL_SPEED  eb  2f T_COUNTER_L  00  3f -             -
"""
WORDS = TABLE.split()
REGISTERS = sorted((int(a, 16), name, value) for a, name, value in zip(*[iter(WORDS)] * 3, strict=True))


@pytest.fixture
def twin() -> RC522:
    twin = RC522(VirtualTime())
    twin.brown_out()
    twin.time.advance_ms(2)
    return twin


def read(twin: RC522, register: int) -> int:
    return twin.xfer2([register << 1 | 0x80, 0])[1]


def test_every_register_has_its_name_and_its_value_after_a_reset(twin: RC522) -> None:
    assert [address for address, _, _ in REGISTERS] == list(range(64))
    named = {name: address for address, name, _ in REGISTERS if name not in "-."}
    assert {name: getattr(reg, name) for name in named} == named
    assert {address: read(twin, address) for address, name, _ in REGISTERS if name != "-"} == {
        address: int(value, 16) for address, name, value in REGISTERS if name != "-"
    }
    after = {address: int(value, 16) for address, name, value in REGISTERS if name not in ("-", "VERSION")}
    assert {address: value for address, value in after.items() if value} == reg.RESET_VALUES


def test_a_reserved_register_is_not_written_to(twin: RC522) -> None:
    for address, name, _ in REGISTERS:
        if name == "-":
            with pytest.raises(Refused, match=f"reserved register 0x{address:02X}"):
                twin.xfer2([address << 1, 0])
        elif address not in WRITERS:
            twin.xfer2([address << 1, 0])


def test_what_is_only_read_is_not_changed_by_a_write(twin: RC522) -> None:
    special = set(WRITERS) | set(READERS)
    kept = set()
    for address, name, _ in REGISTERS:
        if name != "-" and address not in special:
            before = twin.peek(address)
            twin.xfer2([address << 1, before ^ 0x11])
            if twin.peek(address) == before:
                kept.add(address)
    assert kept == {0x06, 0x21, 0x22, 0x35, 0x37, 0x3B}
    assert kept | {0x07, 0x2E, 0x2F} == reg.READ_ONLY


def test_the_commands_have_their_codes_and_every_other_is_refused(twin: RC522) -> None:
    """Table 149."""
    codes = {
        "IDLE": 0,
        "MEM": 1,
        "GENERATE_RANDOM_ID": 2,
        "CALC_CRC": 3,
        "TRANSMIT": 4,
        "NO_CMD_CHANGE": 7,
        "RECEIVE": 8,
    }
    codes |= {"TRANSCEIVE": 12, "MF_AUTHENT": 14, "SOFT_RESET": 15}
    assert {name: getattr(reg, name) for name in codes} == codes
    assert set(COMMANDS) == set(codes.values()) - {15}
    for code in set(range(16)) - set(codes.values()):
        with pytest.raises(Refused, match=f"the command 0x{code:X}"):
            twin.xfer2([reg.COMMAND << 1, code])


def test_the_bits_of_interrupts_and_errors_have_their_places() -> None:
    """Tables 27, 29 and 33, from bit 7 down."""
    com = [reg.TX_IRQ, reg.RX_IRQ, reg.IDLE_IRQ, reg.HI_ALERT_IRQ, reg.LO_ALERT_IRQ, reg.ERR_IRQ, reg.TIMER_IRQ]
    assert com == [64, 32, 16, 8, 4, 2, 1]
    errors = [reg.WR_ERR, reg.TEMP_ERR, reg.BUFFER_OVFL, reg.COLL_ERR, reg.CRC_ERR, reg.PARITY_ERR, reg.PROTOCOL_ERR]
    assert errors == [128, 64, 16, 8, 4, 2, 1]
    assert reg.CRC_IRQ == 4


def test_the_crc_starts_from_the_value_that_the_mode_register_asks_for(twin: RC522) -> None:
    """Table 55; the results are those of CRC-16 (X.25's polynomial) over the two bytes 12 34, low byte first."""
    assert reg.CRC_PRESETS == (0x0000, 0x6363, 0xA671, 0xFFFF)
    for mode, preset in enumerate(reg.CRC_PRESETS):
        value = preset
        for byte in b"\x12\x34":
            value ^= byte
            for _ in range(8):
                value = (value >> 1) ^ 0x8408 if value % 2 else value >> 1
        twin.xfer2([reg.MODE << 1, 0x3C | mode])
        twin.xfer2([reg.FIFO_DATA << 1, 0x12, 0x34])
        twin.xfer2([reg.COMMAND << 1, reg.CALC_CRC])
        assert (read(twin, reg.CRC_RESULT_H), read(twin, reg.CRC_RESULT_L)) == divmod(value, 256)
        assert read(twin, reg.FIFO_LEVEL) == 0
