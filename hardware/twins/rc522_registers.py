"""The MFRC522's registers as its datasheet (rev. 3.9, chapter 9) has them: addresses, values after a reset."""

from __future__ import annotations

COMMAND = 0x01
COM_I_EN = 0x02
DIV_I_EN = 0x03
COM_IRQ = 0x04
DIV_IRQ = 0x05
ERROR = 0x06
STATUS1 = 0x07
STATUS2 = 0x08
FIFO_DATA = 0x09
FIFO_LEVEL = 0x0A
WATER_LEVEL = 0x0B
CONTROL = 0x0C
BIT_FRAMING = 0x0D
COLL = 0x0E
MODE = 0x11
TX_MODE = 0x12
RX_MODE = 0x13
TX_CONTROL = 0x14
TX_ASK = 0x15
TX_SEL = 0x16
RX_SEL = 0x17
RX_THRESHOLD = 0x18
DEMOD = 0x19
MF_TX = 0x1C
MF_RX = 0x1D
SERIAL_SPEED = 0x1F
CRC_RESULT_H = 0x21
CRC_RESULT_L = 0x22
MOD_WIDTH = 0x24
RF_CFG = 0x26
GS_N = 0x27
CW_GS_P = 0x28
MOD_GS_P = 0x29
T_MODE = 0x2A
T_PRESCALER = 0x2B
T_RELOAD_H = 0x2C
T_RELOAD_L = 0x2D
T_COUNTER_H = 0x2E
T_COUNTER_L = 0x2F
TEST_PIN_EN = 0x33
AUTO_TEST = 0x36
VERSION = 0x37

RESERVED = frozenset({0x00, 0x0F, 0x10, 0x1A, 0x1B, 0x1E, 0x20, 0x23, 0x25, 0x30, 0x3C, 0x3D, 0x3E, 0x3F})
READ_ONLY = frozenset(
    {ERROR, STATUS1, CRC_RESULT_H, CRC_RESULT_L, T_COUNTER_H, T_COUNTER_L, 0x35, VERSION, 0x3B}  # TestBus, TestADC
)

# Table 20 and the tables of each register; bits that the datasheet leaves open are 0 here.
RESET_VALUES: dict[int, int] = {
    COMMAND: 0x20,
    COM_I_EN: 0x80,
    COM_IRQ: 0x14,
    STATUS1: 0x21,
    WATER_LEVEL: 0x08,
    CONTROL: 0x10,
    COLL: 0xA0,
    MODE: 0x3F,
    TX_CONTROL: 0x80,
    TX_SEL: 0x10,
    RX_SEL: 0x84,
    RX_THRESHOLD: 0x84,
    DEMOD: 0x4D,
    MF_TX: 0x62,
    SERIAL_SPEED: 0xEB,
    CRC_RESULT_H: 0xFF,
    CRC_RESULT_L: 0xFF,
    MOD_WIDTH: 0x26,
    RF_CFG: 0x48,
    GS_N: 0x88,
    CW_GS_P: 0x20,
    MOD_GS_P: 0x20,
    TEST_PIN_EN: 0x80,
    AUTO_TEST: 0x40,
}

# Commands (10.3)
IDLE = 0x00
MEM = 0x01
GENERATE_RANDOM_ID = 0x02
CALC_CRC = 0x03
TRANSMIT = 0x04
NO_CMD_CHANGE = 0x07
RECEIVE = 0x08
TRANSCEIVE = 0x0C
MF_AUTHENT = 0x0E
SOFT_RESET = 0x0F

# Bits of ComIrqReg (9.3.1.5)
TX_IRQ, RX_IRQ, IDLE_IRQ, HI_ALERT_IRQ, LO_ALERT_IRQ, ERR_IRQ, TIMER_IRQ = 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01
CRC_IRQ = 0x04  # of DivIrqReg

# Bits of ErrorReg (9.3.1.7)
WR_ERR, TEMP_ERR, BUFFER_OVFL, COLL_ERR, CRC_ERR, PARITY_ERR, PROTOCOL_ERR = 0x80, 0x40, 0x10, 0x08, 0x04, 0x02, 0x01

CRC_PRESETS = (0x0000, 0x6363, 0xA671, 0xFFFF)  # ModeReg, CRCPreset (9.3.2.2)

# What the FIFO holds after a self-test (16.1.1), by VersionReg.
SELF_TEST: dict[int, bytes] = {
    0x91: bytes.fromhex(
        "00c637d532b7575cc2d87c4dd970c77310e6d2aa5ea13e5a14af3061c970db2e"
        "642272b5bd65f4ec22bcd37235cdaa411fa7f35314de7e02d90fb55e251d2979"
    ),
    0x92: bytes.fromhex(
        "00eb66ba57bf2395d0e30d3d27895cde9d3ba700215b8982513aeb020ca50049"
        "7c844db3ccd21b815d4876d5716121a986968338cf9d5b6ddc15ba3e7d953b2f"
    ),
}
