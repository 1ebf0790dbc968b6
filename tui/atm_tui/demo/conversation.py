"""The text of the demo's transcripts: the recordings have it in the input of hooks only, so that no sentence is there twice."""

from typing import Any

Line = dict[str, Any]
_TOOL_STARTS = ("PreToolUse",)
_TOOL_ENDS = ("PostToolUse", "PostToolUseFailure")


class Conversation:
    """What the hooks of one thread (the main one, or a subagent) said, until it is written to the thread's transcript."""

    def __init__(self) -> None:
        self._content: list[Line] = []
        """Blocks for the next answer of the model."""
        self._written: list[str] = []
        """Ids of the tool calls that are in the transcript, in their order."""
        self._results: list[Line] = []
        self._ended: set[str] = set()
        """Ids of the tool calls that have a result."""

    def add_hook(self, data: Line) -> None:
        """Keeps the tool call, the result or the reply that the input of a hook contains."""
        event, call = data["hook_event_name"], data.get("tool_use_id", "")
        if event in _TOOL_STARTS:
            use = {"type": "tool_use", "id": call, "name": data["tool_name"], "input": data.get("tool_input", {})}
            self._content.append(use)
        elif event in _TOOL_ENDS:
            text = data.get("error") or "Done."
            self._results.append({"type": "tool_result", "tool_use_id": call, "content": text})
            self._ended.add(call)
        elif event in ("Stop", "SubagentStop") and data.get("last_assistant_message"):
            self._content.append({"type": "text", "text": data["last_assistant_message"]})

    def fill_in(self, line: Line) -> Line:
        """Returns a line of a transcript; an answer of the model that has no content gets what was kept, a refusal its call."""
        message = line.get("message", {})
        if line.get("toolDenialKind"):
            return self._refuse(line)
        if line["type"] != "assistant" or message.get("content") != [] or not self._content:
            return line
        content, self._content = self._content, []
        self._written += [each["id"] for each in content if each["type"] == "tool_use"]
        return {**line, "message": {**message, "content": content}}

    def _refuse(self, line: Line) -> Line:
        """Returns the line as the result of the last call without one."""
        call = next((each for each in reversed(self._written) if each not in self._ended), "")
        self._ended.add(call)
        result = {"type": "tool_result", "tool_use_id": call, "content": "You said no to this call.", "is_error": True}
        return {**line, "message": {**line["message"], "content": [result]}}

    def take_results(self) -> list[Line]:
        """Returns the lines with the results of tool calls that are in the transcript, once each."""
        found = [each for each in self._results if each["tool_use_id"] in self._written]
        self._results = [each for each in self._results if each not in found]
        return [{"type": "user", "message": {"role": "user", "content": [each]}} for each in found]
