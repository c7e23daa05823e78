// @modelcontextprotocol/sdk 1.x: the client that most hosts are built on.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { headerOf, ready } from './lib/comporta.mjs';
import { memberRun, othersRun } from './lib/member.mjs';

async function connectWith(area, headers) {
  const client = new Client({ name: 'comporta-peers', version: '1.0.0' });
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(ready.areas[area]), { requestInit }));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

const connect = (area, who) => connectWith(area, { Authorization: headerOf(who) });

memberRun('SDK 1.x: a member', connect);
othersRun('SDK 1.x: others', connect);

test('SDK 1.x: no token and a wrong token are turned away', async () => {
  await assert.rejects(connectWith('build', {}), /401|[Uu]nauthorized|No authentication/);
  const wrong = `Token azion${'A'.repeat(35)}`;
  await assert.rejects(connectWith('build', { Authorization: wrong }), /403|Authentication failed/);
});
