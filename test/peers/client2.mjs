// @modelcontextprotocol/client 2.x in both eras: with the handshake of the older
// revisions, and pinned to 2026-07-28, which has none.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { headerOf, ready } from './lib/comporta.mjs';
import { memberRun, othersRun } from './lib/member.mjs';

const eras = [
  { title: 'legacy', mode: 'legacy', version: (negotiated) => negotiated <= '2025-11-25' },
  { title: '2026-07-28', mode: { pin: '2026-07-28' }, version: (negotiated) => negotiated === '2026-07-28' },
];

for (const { title, mode, version } of eras) {
  const open = async (area, who) => {
    const client = new Client({ name: 'comporta-peers', version: '2.0.0' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { Authorization: headerOf(who) } };
    await client.connect(new StreamableHTTPClientTransport(new URL(ready.areas[area]), { requestInit }));
    return client;
  };
  const connect = async (area, who) => {
    const client = await open(area, who);
    return {
      list: async () => (await client.listTools({}, { cacheMode: 'bypass' })).tools,
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  };

  test(`client 2.x, ${title}: agrees on a version and gets the area's instructions`, async () => {
    const client = await open('build', 'member');
    const negotiated = client.getNegotiatedProtocolVersion();
    assert.ok(version(negotiated), negotiated);
    assert.match(client.getInstructions(), /ver_contexto_inicial/);
    await client.close();
  });
  memberRun(`client 2.x, ${title}: a member`, connect);
  othersRun(`client 2.x, ${title}: others`, connect);
}
