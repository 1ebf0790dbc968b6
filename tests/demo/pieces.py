"""The pieces that one session of the demo each plays: what the recordings are for, on the demo's clock, in its words."""

from tests.demo.cutting import Data, Excerpt
from tests.demo.turns import HAIKU, OLD_HAIKU, ROUND, WORK

PERMISSIONS = Excerpt(
    "02-background-subagents",
    2.85,
    20.1,
    "2.88>40 2.96>40.1 3.06>43 3.13>43.6 3.25>43.9 3.34>45 3.44>47 3.81>47.3 4.08>48.5 4.26>51 "
    "4.3>51.2 4.45>51.3 5.43>54 5.46>56 5.51>58 5.57>58.2 10.37>58.5 11.59>64.2 16.47>105.8 "
    "16.51>106 16.53>108 16.57>108.2 16.62>110 16.76>110.4 16.88>112 17.19>112.4 19.5>116 "
    "19.52>116.2 19.58>119 19.69>119.3 19.76>121 19.85>121.1 20.06>121.4",
    f"p{ROUND}",
    {
        "Review the code base": "Sort the product list by price, newest first on ties",
        "Explore the API": "Find the list endpoints",
        "Update the docs": "Write the migration",
        "List the API routes": "",
        "Update the docs page": "",
        "/home/user/work/api/notes.txt": f"{WORK}/shop-api/app/products.py",
        "for i in 1 2 3 4 5 6; do sleep 1; echo step $i; done": "npm run routes -- --json | head -50",
        "Scan the routes": "List the routes",
        "touch docs.txt && rm docs.txt": "npm run migrate -- add_price_index",
        "Write the docs": "Run the migration",
        "Both agents are running.": "Two agents look at the endpoints and at the index.",
        "The docs are updated.": "The index is in place.",
        "One agent has finished.": "The migration is through.",
        "There are two routes.": "Both list endpoints take a sort order.",
        "The review is complete.": "The list is sorted by price; 41 tests pass.",
    },
    (586_000, 5_500),
    2_600,
    (21_000, 11_500),
    {"Explore": OLD_HAIKU},
    (48, 12),
)

NESTED = Excerpt(
    "02-nested-subagents",
    8.55,
    13.9,
    "8.6>12 8.68>15 8.74>15.5 8.83>15.8 8.93>18 9.01>20 9.08>20.5 9.12>20.8 9.2>23 9.23>24 9.24>27 "
    "9.26>27.2 9.28>27.4 9.35>28 13.32>46 13.37>46.3 13.44>51 13.49>51.3 13.56>53 13.66>53.1 "
    "13.87>53.4",
    f"n{ROUND}",
    {
        "Refactor the lexer": "Move the search index to its own module",
        "Plan the lexer work": "Plan the new module",
        "Plan the lexer refactor": "",
        "Find lexer callers": "Find who uses the index",
        "Find all lexer callers": "",
        "The agent is running.": "An agent plans the module.",
        "/home/user/work/api/notes.txt": f"{WORK}/shop-api-search/app/search.py",
        "Waiting for the callers.": "I wait for the list of callers.",
        "Five callers found.": "Five callers in three files.",
        "The lexer plan is ready.": "The plan has four steps.",
        "The lexer is refactored.": "The index has its own module now.",
    },
    (214_000, 6_000),
    3_100,
    (34_000, 14_000),
    {"Explore": HAIKU},
    (120, 64),
)

QUESTION = Excerpt(
    "03-ask-user-question",
    4.05,
    13.5,
    "4.1>66 4.13>66.1 4.5>75 4.55>75.1 4.61>75.2 10.58>81.1 13.0>116 13.03>116.1 13.05>116.15 "
    "13.12>121 13.21>121.1 13.43>121.4",
    f"q{ROUND}",
    {
        "Pick a colour": "The login button is hard to see on the dark theme",
        "Which colour do you want?": "Which colour should the login button have?",
        "Blue it is.": "The button is blue now, with enough contrast on both themes.",
    },
    (88_000, 3_000),
    1_500,
    lines=(14, 6),
)

PLAN = Excerpt(
    "03-exit-plan-mode",
    3.6,
    28.0,
    "3.71>6 3.89>6.1 4.06>10 4.15>12 4.21>12.2 4.4>20 4.5>20.1 4.59>20.2 10.48>26.1 12.65>56 "
    "12.71>56.2 12.78>56.3 12.8>60 12.84>60.1 12.95>60.2 18.87>66 27.44>68 27.47>69 27.51>69.1 "
    "27.63>79.5 27.75>79.6 27.96>79.9",
    f"e{ROUND}",
    {
        "Plan the migration": "Plan the move of the checkout to the new payment API",
        "/home/user/work/web/notes.txt": f"{WORK}/shop-web/.env.example",
        "The migration is planned.": "The checkout talks to the new API; the old client is gone.",
    },
    (301_000, 4_000),
    3_800,
    lines=(212, 140),
)

TEAM_WORDS = {
    "Start the team": "Image guide",
    "Research the topic as teammate": "",
    "Write the draft as teammate": "",
    "Research the topic": "Compare image formats",
    "Write the draft": "Write the guide",
    "The team is running.": "Both are at work.",
    "/home/user/work/api/notes.txt": f"{WORK}/shop-web/docs/images.md",
    "Research is done.": "AVIF saves a third; Safari reads it since 16.",
    "The draft is done.": "The guide has a first draft.",
    "Noted.": "The research is in.",
    "Noted again.": "The guide is ready to read.",
}


def _is_launch(line: Data) -> bool:
    """Only the first round launches the teammates; they work on in the others."""
    calls = [line["data"], *line["data"].get("tool_calls", ())] if line["kind"] == "hook" else []
    return any(call.get("tool_name") == "Agent" for call in calls)


TEAM = Excerpt(
    "09-teams",
    3.4,
    9.55,
    "3.45>24 3.55>24.1 4.24>28 4.45>28.5 4.83>30 5.15>30.3 6.78>33 6.84>37 6.87>37.2 6.92>50 "
    "6.95>50.1 7.22>53 7.52>53.3 8.73>93 8.75>93.1 9.2>95.5 9.51>95.9",
    f"t{ROUND}",
    {**TEAM_WORDS, "Start the team": "Another round, please: what about old phones?"},
    (142_000, 4_000),
    2_000,
    (26_000, 6_500),
    lines=(31, 9),
    agents="team",
    keep=lambda line: not _is_launch(line),
)

BACKGROUND = Excerpt(
    "04-background-bash",
    3.4,
    17.0,
    "3.51>8 3.68>8.1 3.91>11 4.1>12 4.24>12.2 4.35>12.4 4.43>16 4.53>16.1 4.77>16.4 16.32>48 "
    "16.37>48.05 16.55>48.2 16.6>52 16.73>52.1 16.94>52.4",
    f"b{ROUND}",
    {
        "Start the server in the background": "Build the staging image in the background",
        "for i in $(seq 1 12); do sleep 1; echo s $i; done": "docker build -t shop/staging .",
        "Start the server": "Build the image",
        "The server is starting.": "The build runs in the background.",
        "The server has exited.": "The image is built: 212 MB.",
    },
    (63_000, 2_500),
    900,
    lines=(6, 2),
)

INTERRUPT = Excerpt(
    "04-interrupt",
    3.4,
    10.6,
    "3.51>60 3.72>60.1 3.83>63 3.94>63.1 4.11>63.2 5.32>68 5.34>68.2 10.41>84 10.49>84.1",
    f"i{ROUND}",
    {
        "Run the long job": "Now roll it out to staging",
        "for i in $(seq 1 40); do sleep 1; echo j $i; done": "kubectl rollout restart deploy/web -n staging",
    },
    (71_000, 2_000),
    700,
)

ERROR = Excerpt(
    "05-api-errors",
    19.2,
    21.4,
    "19.23>77 19.37>77.2 21.09>91 21.13>91.1 21.23>91.2 21.38>91.4",
    f"r{ROUND}",
    {
        "Trigger error 429": "Split the state by region as well",
        "API Error: Request rejected (429) · scripted error": "API Error: Request rejected (429)",
    },
)

HEADLESS = Excerpt(
    "08-headless",
    0.25,
    2.7,
    "0.31>30 0.37>30.1 0.4>30.3 0.52>33 0.57>35 0.6>35.2 0.66>37 0.71>37.1 0.72>37.3 0.76>40 "
    "0.8>40.4 0.88>43 0.9>45 0.92>45.2 2.45>57 2.51>57.2 2.52>57.4 2.57>62 2.6>62.3 2.61>62.4",
    f"l{ROUND}",
    {
        "Check the headless run": "Changelog",
        f"{WORK}/demo/notes.txt": f"{WORK}/infra/CHANGELOG.md",
        "touch h.log && rm h.log": "git log --since=1.week --oneline",
        "Touch a log": "List the commits",
        "Check one part": "Sort the changes",
        "Check part one headless": "",
        "Part one is fine.": "Nine fixes, two features.",
        "The headless run is checked.": "The changelog is written.",
    },
    (24_000, 3_000),
    1_200,
    agent_models={"Explore": HAIKU},
    lines=(22, 0),
)

COMPACT = Excerpt(
    "06-autocompact",
    14.1,
    15.0,
    "14.19>52 14.26>55 14.28>55.05 14.34>60 14.4>61 14.48>66 14.51>66.2 14.59>72 14.7>72.1 14.79>72.15 14.93>72.5",
    f"c{ROUND}",
    {
        "Note the fifth point": "And the refunds?",
        "Noted the fifth point.": "Refunds go the same way; two tests were missing.",
        "180915": "183900",
        "2871": "24800",
    },
    (27_000, 3_000),
    2_200,
)

RENAME = Excerpt("06-clear-rename-model", 5.0, 5.4, "5.04>-1180", "m", {"login-fix": "new-checkout"})
