"""A real MCP client (PyPI `mcp`) against the example server: list, search, list again, call what was found, call what
is hidden. Usage: peer.py stdio PROGRAM | peer.py http URL"""

import asyncio
import sys

from mcp import Client, StdioServerParameters


def text(result):
    return "".join(block.text for block in result.content if block.type == "text")


async def check(transport, mode):
    async with Client(transport, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "tool_search" in names and "payment_processor" not in names, names

        hidden = await client.call_tool("payment_processor", {"amount_cents": 1250})
        assert hidden.is_error, hidden
        refused = "Tool 'payment_processor' is not in your current tool list. Call tool_search to find tools."
        assert text(hidden) == refused, text(hidden)

        found = await client.call_tool("tool_search", {"query": "charge a credit card"})
        assert not found.is_error and '"payment_processor"' in text(found), found

        names = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
        assert "payment_processor" in names, names
        charged = await client.call_tool("payment_processor", {"amount_cents": 1250})
        assert not charged.is_error and text(charged) == "charged 1250", charged

        wrong = await client.call_tool("payment_processor", {"amount_cents": "many"})
        assert wrong.is_error and "amount_cents" in text(wrong), wrong
        return client.protocol_version


async def main():
    kind, target = sys.argv[1:]
    for mode in ["legacy", "auto"]:
        transport = StdioServerParameters(command=target) if kind == "stdio" else target
        version = await check(transport, mode)
        print(f"mcp peer: {kind}, {mode}: protocol {version}: list, search, list, call: as expected")


asyncio.run(main())
