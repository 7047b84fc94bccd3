"""A second judge, written from the rules alone: slow, mutable, and built in another way than the engine.

It keeps a list of snapshots and goes back to them, where the engine keeps frozen values; it finds the
claim of an answer by trying every rank, and (with `brute`) what hidden hands allow by dealing all of them.
The tests hold the engine against it, event by event.
"""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any

from engine.cards import Card
from engine.events import Event, Kind
from engine.rules import Rules

NAMES = ("yay", "wow")
OTHER = {"yay": "wow", "wow": "yay"}


class Model:
    """`judge` takes an event and returns what `tacocat replay --json` prints, without line and event."""

    def __init__(self, rules: Rules, brute: bool = False) -> None:
        self.rules = rules
        self.mode = rules.mode.value
        self.brute = brute
        self.deals = 0  # how many pairs of hidden hands were tried
        self.history: list[tuple[str, bool, dict[str, Any]]] = []  # whose, cannot be undone, the state before
        self.s: dict[str, Any] = {"number": 0, "tacocat": 4, "covered": []}
        self.new_round()

    # ---- rounds ----

    def new_round(self) -> None:
        s = self.s
        number = s["number"] + 1
        space = s["tacocat"]
        size = self.rules.board.hand_sizes[space - 1]
        self.s = {
            "number": number,
            "tacocat": space,
            "covered": s["covered"],
            "phase": "board" if self.mode == "board" else "deal",
            "size": size,
            "arrow": "both" if number == 1 else str(self.rules.board.arrows[space - 1]),
            "hand": {"yay": set(), "wow": set()},
            "held": {"yay": 0, "wow": 0},
            "said": set(),
            "seen": set(),
            "swap": {"yay": "wait", "wow": "wait"},
            "out": {"yay": 0, "wow": 0},
            "in": {"yay": 0, "wow": 0},
            "shown": {},
            "attacker": None,
            "attack": [],
            "answer": [],
            "claims": [],  # [player, rank, cards that the player has played since]
            "start": 0,  # where in the history the present play began
        }

    def end_round(self, result: str) -> None:
        s = self.s
        if result in NAMES:
            step = {"yay": -1, "wow": 1}[result]
            s["covered"] = sorted([*s["covered"], s["tacocat"]])
            s["tacocat"] += step
            while s["tacocat"] in s["covered"]:
                s["tacocat"] += step
        if s["tacocat"] in (0, 8):
            s["phase"] = "over"
        else:
            self.new_round()

    # ---- one event ----

    def judge(self, event: Event) -> dict[str, Any]:
        self.fouls: list[list[str]] = []
        self.result: str | None = None
        self.locked = False
        player = event.player.value if event.player else ""
        before = copy.deepcopy(self.s)
        problem = self.decide(event, player)
        if problem is None and event.kind is not Kind.UNDO:
            self.history.append((player, self.locked or bool(self.fouls) or event.kind is Kind.VOID, before))
        s = self.s
        return {
            "accepted": problem is None,
            "problem": problem,
            "fouls": [{"rule": "sacrifice-not-lowest", "suspects": who} for who in self.fouls],
            "phase": s["phase"],
            "to_act": [p for p in NAMES if self.awaited(p)],
            "round": s["number"],
            "hands": {p: self.size(p) for p in NAMES},
            "tacocat": s["tacocat"],
            "covered": list(s["covered"]),
            "round_result": self.result,
            "winner": {0: "yay", 8: "wow"}.get(s["tacocat"]),
        }

    def size(self, player: str) -> int:
        return len(self.s["hand"][player]) if self.mode == "play" else self.s["held"][player]

    def awaited(self, p: str) -> bool:
        s = self.s
        return {
            "deal": lambda: self.size(p) < s["size"] if self.mode == "play" else p not in s["said"],
            "replace": lambda: s["swap"][p] in ("discard", "draw"),
            "duel": lambda: p not in s["shown"],
            "attack": lambda: p == s["attacker"] or bool(s["attack"]),
            "defend": lambda: p != s["attacker"],
            "showdown": lambda: p not in s["shown"],
            "board": lambda: True,
            "over": lambda: False,
        }[s["phase"]]()

    def decide(self, event: Event, p: str) -> str | None:
        s = self.s
        if event.kind is Kind.UNDO:
            return self.undo(p)
        if s["phase"] == "over":
            return "game-over"
        if event.kind is Kind.TAG:
            return "unknown-card"
        if self.mode == "board":
            if event.kind is Kind.OK:
                self.finish(p)
                return None
            return "nothing-to-confirm" if event.kind is Kind.VOID else "not-your-turn"
        if event.kind is Kind.VOID:
            self.finish("void")
            return None
        if event.kind is Kind.OK:
            return self.ok(p)
        assert event.card is not None
        return self.card(p, event.card)

    def finish(self, result: str) -> None:
        self.result = result
        self.end_round(result)

    def undo(self, p: str) -> str | None:
        if not self.history:
            return "nothing-to-undo"
        whose, locked, before = self.history[-1]
        if locked or (whose != p and self.mode != "board"):
            return "nothing-to-undo"
        self.history.pop()
        self.s = before
        return None

    def take_back(self, closed: bool) -> None:
        """The present play leaves no trace; an attack that was closed stays closed."""
        start = self.s["start"]
        self.s = self.history[start][2]
        del self.history[start:]
        if closed:
            self.s["phase"] = "defend"

    # ---- ok ----

    def ok(self, p: str) -> str | None:
        s = self.s
        if s["phase"] == "deal" and self.mode == "referee" and p not in s["said"]:
            s["said"].add(p)
            if len(s["said"]) == 2:
                s["held"] = {"yay": s["size"], "wow": s["size"]}
                self.begin_replace()
            return None
        if s["phase"] == "replace" and s["swap"][p] == "discard":
            if self.mode == "play" and s["out"][p] > 0:
                s["swap"][p] = "draw"
            else:
                if self.mode == "referee":
                    s["held"][p] = s["size"]
                self.replaced(p)
            return None
        if s["phase"] == "attack" and p == s["attacker"] and s["attack"]:
            if not good_attack(s["attack"]):
                self.take_back(closed=False)
                return "not-a-set-or-sequence"
            s["phase"] = "defend"
            return None
        return "nothing-to-confirm"

    def begin_replace(self) -> None:
        s = self.s
        s["phase"] = "replace"
        for p in NAMES:
            s["swap"][p] = "discard" if s["arrow"] in ("both", p) else "wait"

    def replaced(self, p: str) -> None:
        s = self.s
        s["swap"][p] = "done"
        q = OTHER[p]
        if s["swap"][q] == "wait":
            s["swap"][q] = "discard" if s["out"][p] else "done"
        if s["swap"][q] == "done":
            s["phase"] = "duel"

    # ---- cards ----

    def card(self, p: str, card: Card) -> str | None:
        s = self.s
        phase = s["phase"]
        if phase == "deal":
            return self.dealt(p, card)
        if not self.awaited(p):
            return "not-your-turn"
        if phase == "replace" and s["swap"][p] == "draw":
            return self.drawn(p, card)
        if phase == "attack" and p != s["attacker"]:
            if not good_attack(s["attack"]):
                self.take_back(closed=False)
                return "not-a-set-or-sequence"
            s["phase"] = phase = "defend"  # and it stays so, whatever becomes of this card
        if card in s["seen"]:
            return "card-already-used"
        if self.mode == "play" and card not in s["hand"][p]:
            return "not-your-card"
        if phase == "replace":
            room = len(self.rules.deck) - 2 * s["size"] - s["out"]["yay"] - s["out"]["wow"]
            if s["arrow"] == OTHER[p]:
                room = min(room, s["out"][OTHER[p]] - s["out"][p])
            if room <= 0 or self.size(p) == 0:
                return "too-many-replaced"
            s["out"][p] += 1
            self.leave(p, card)
            return None
        if phase == "attack" and self.size(p) == 1:
            return "must-keep-last-card"
        return {"duel": self.duel, "attack": self.attack, "defend": self.answer, "showdown": self.showdown}[phase](
            p, card
        )

    def leave(self, p: str, card: Card) -> None:
        self.s["seen"].add(card)
        self.s["hand"][p].discard(card)
        self.s["held"][p] -= 1
        for claim in self.s["claims"]:
            if claim[0] == p:
                claim[2].append(card.rank)

    def dealt(self, p: str, card: Card) -> str | None:
        s = self.s
        if self.mode == "referee":
            return "not-your-turn"
        if card in s["hand"]["yay"] | s["hand"]["wow"]:
            return "card-already-used"
        if self.size(p) >= s["size"]:
            return "hand-full"
        s["hand"][p].add(card)
        if self.size("yay") == self.size("wow") == s["size"]:
            self.begin_replace()
        return None

    def drawn(self, p: str, card: Card) -> str | None:
        s = self.s
        if card in s["seen"] | s["hand"]["yay"] | s["hand"]["wow"]:
            return "card-already-used"
        s["hand"][p].add(card)
        s["in"][p] += 1
        self.locked = True
        if s["in"][p] == s["out"][p]:
            self.replaced(p)
        return None

    def duel(self, p: str, card: Card) -> str | None:
        s = self.s
        self.leave(p, card)
        s["shown"][p] = card
        if len(s["shown"]) == 2:
            self.locked = True
            difference = s["shown"]["yay"].rank - s["shown"]["wow"].rank
            s["shown"] = {}
            if self.size("yay") == 1:
                s["phase"] = "showdown"
            elif difference:
                s["phase"], s["attacker"] = "attack", "yay" if difference > 0 else "wow"
        return None

    def attack(self, p: str, card: Card) -> str | None:
        s = self.s
        if not s["attack"]:
            s["start"] = len(self.history)
        s["attack"].append(card)
        self.leave(p, card)
        self.look(p, card, 0)
        return None

    def answer(self, p: str, card: Card) -> str | None:
        s = self.s
        if not s["answer"]:
            s["start"] = len(self.history)
        first = not s["answer"]
        attack = sorted(c.rank for c in s["attack"])
        answer = [*s["answer"], card]
        claim = 0
        if len(answer) == len(attack):
            claim = claim_of(attack, [c.rank for c in answer])
            if not self.answer_possible(p, answer, claim):
                if not first:
                    self.take_back(closed=True)
                return "must-defend-or-sacrifice-lowest"
        s["answer"] = answer
        self.leave(p, card)
        if not self.look(p, card, claim) and len(answer) == len(attack):
            s["attack"], s["answer"] = [], []
            s["phase"] = "showdown" if self.size(p) == 1 else "attack"
            s["attacker"] = OTHER[p] if claim else p
        return None

    def answer_possible(self, p: str, answer: list[Card], claim: int) -> bool:
        if self.mode == "play":
            return all(c.rank >= claim for c in self.s["hand"][p] - set(answer))
        # the answer's earlier cards have left the hand already; this one has not
        hidden = self.size(p) - 1
        unseen = [c.rank for c in self.rules.deck.cards if c not in self.s["seen"] and c not in answer]
        if self.brute:
            return any(all(rank >= claim for rank in hand) for hand in combinations(unseen, hidden))
        return len([rank for rank in unseen if rank >= claim]) >= hidden

    def showdown(self, p: str, card: Card) -> str | None:
        s = self.s
        self.leave(p, card)
        s["shown"][p] = card
        if self.look(p, card, 0) or len(s["shown"]) < 2:
            return None
        yay, wow = s["shown"]["yay"].rank, s["shown"]["wow"].rank
        if yay == wow and self.rules.tie == "arrow" and s["arrow"] != "both":
            self.finish(s["arrow"])
        else:
            self.finish("tie" if yay == wow else "yay" if yay < wow else "wow")
        return None

    # ---- what a referee can prove ----

    def look(self, p: str, card: Card, claim: int) -> bool:
        """Late fouls after an accepted card and its claim. True if the round has ended by one."""
        s = self.s
        if self.mode != "referee":
            return False
        forfeit = self.rules.late_foul == "forfeit"
        disproved = [c for c in s["claims"] if c[0] == p and c[1] > card.rank]
        if disproved:
            s["claims"] = [c for c in s["claims"] if c not in disproved]
            self.fouls.append([p])
        if not (disproved and forfeit):
            if claim:
                s["claims"].append([p, claim, []])
            self.count()
        if self.fouls and forfeit:
            del self.fouls[1:]
            suspects = self.fouls[0]
            self.finish("tie" if len(suspects) == 2 else OTHER[suspects[0]])
            return True
        return False

    def count(self) -> None:
        for p in NAMES:
            before = len(self.s["claims"])
            while not self.possible([c for c in self.s["claims"] if c[0] == p]):
                self.drop_highest(p)
            if len(self.s["claims"]) < before:
                self.fouls.append([p])
        before = len(self.s["claims"])
        while not self.possible(self.s["claims"]):
            self.drop_highest("yay")
            self.drop_highest("wow")
        if len(self.s["claims"]) < before:
            self.fouls.append(["yay", "wow"])

    def drop_highest(self, p: str) -> None:
        last = max(i for i, c in enumerate(self.s["claims"]) if c[0] == p)
        del self.s["claims"][last]

    def possible(self, claims: list[Any]) -> bool:
        """Whether some hidden hands make all these claims true."""
        if not claims:
            return True
        unseen = [c.rank for c in self.rules.deck.cards if c not in self.s["seen"]]
        mine, others = self.s["held"]["yay"], self.s["held"]["wow"]
        if not self.brute:
            bound = {p: max([c[1] for c in claims if c[0] == p], default=0) for p in NAMES}
            high, low = sorted(NAMES, key=lambda p: -bound[p])
            fit = [sum(rank >= bound[p] for rank in unseen) for p in (high, low)]
            return fit[0] >= self.s["held"][high] and fit[1] >= mine + others
        for places in combinations(range(len(unseen)), mine):
            yay = [unseen[i] for i in places]
            left = [unseen[i] for i in range(len(unseen)) if i not in places]
            for wow in combinations(left, others):
                self.deals += 1
                # a claim was about all that the player then kept: what is hidden now, and what was played since
                if all(rank >= c[1] for c in claims for rank in (*(yay if c[0] == "yay" else wow), *c[2])):
                    return True
        return False


def good_attack(cards: list[Card]) -> bool:
    ranks = [card.rank for card in cards]
    low = min(ranks)
    return len(set(ranks)) == 1 or (len(ranks) >= 3 and sorted(ranks) == list(range(low, low + len(ranks))))


def claim_of(attack: list[int], answer: list[int]) -> int:
    """The lowest rank such that all higher answering cards can defend, each against an attacking card of its own."""
    for rank in sorted({0, *answer}):
        defending = sorted(r for r in answer if r > rank)
        if all(r >= a for r, a in zip(defending, sorted(attack), strict=False)):
            return rank
    raise AssertionError("nothing needs to defend above the highest rank")
