// Real clients find the authorization server by themselves, register, send a
// person to approve, exchange the code, list and call tools, and refresh.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { ready, value } from './lib/comporta.mjs';
import { Keeper, approve, callback, checkAnswer, openBrowser } from './lib/person.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser.close());

const sdks = [
  {
    title: 'SDK 1.x',
    client: () => new Client1({ name: 'peers', version: '1.0.0' }),
    transport: (keeper) => new Transport1(new URL(ready.areas.build), { authProvider: keeper }),
    finish: (transport, answer) => transport.finishAuth(answer.get('code')),
  },
  ...[['legacy', 'legacy'], ['2026-07-28', { pin: '2026-07-28' }]].map(([era, mode]) => ({
    title: `client 2.x, ${era}`,
    client: () => new Client2({ name: 'peers', version: '2.0.0' }, { versionNegotiation: { mode } }),
    transport: (keeper) => new Transport2(new URL(ready.areas.build), { authProvider: keeper }),
    finish: (transport, answer) => transport.finishAuth(answer),
  })),
];

for (const { title, client, transport, finish } of sdks) {
  test(`${title}: registers, is approved, calls, refreshes`, async () => {
    const back = await callback();
    const keeper = new Keeper(back.url);
    const first = transport(keeper);
    await assert.rejects(client().connect(first), /[Uu]nauthorized/);
    assert.match(keeper.client.client_id, /^dc_/);
    assert.equal(keeper.client.client_secret, undefined);
    assert.equal(keeper.asked.searchParams.get('resource'), ready.areas.build);

    await approve(browser.page, keeper.asked, 'member');
    const answer = await back.answer();
    checkAnswer(answer, keeper);
    await finish(first, answer);
    assert.equal(keeper.kept.scope, 'build:read');

    const open = async () => {
      const peer = client();
      await peer.connect(transport(keeper));
      return peer;
    };
    let peer = await open();
    const { tools } = await peer.listTools();
    assert.ok(tools.some((tool) => tool.name === 'list_applications'));
    assert.ok(!tools.some((tool) => tool.name === 'create_application'), 'a read-only link shows no tool that writes');
    const context = value(await peer.callTool({ name: 'ver_contexto_inicial', arguments: {} }));
    assert.deepEqual(context.alcance.areas, ['build']);
    assert.equal(context.alcance.solo_lectura, true);
    assert.equal(context.cliente.verificado, false);
    await peer.close();

    const used = keeper.kept.refresh_token;
    keeper.spoilAccessToken();
    peer = await open();
    value(await peer.callTool({ name: 'list_applications', arguments: {} }));
    assert.notEqual(keeper.kept.refresh_token, used, 'it refreshed by itself');
    await peer.close();
    back.close();
  });
}

test('mcp-remote: registers, is approved, lists and calls', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
  const script = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url));
  const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: 'true', DISPLAY: '' };
  const child = spawn(process.execPath, [script, ready.areas.build, '--allow-http', '--transport', 'http-only'], { env });
  try {
    const asked = new Promise((resolve) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        const found = line.match(/https?:\/\/\S+\/authorize\?\S+/);
        if (found) resolve(found[0]);
      });
    });
    const answers = new Map();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      answers.get(message.id)?.(message);
    });
    const ask = (id, method, params) => new Promise((resolve) => {
      answers.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
    const begun = ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'peers', version: '1' } });
    await approve(browser.page, await asked, 'member');
    const hello = await begun;
    assert.ok(hello.result?.serverInfo, JSON.stringify(hello));
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const listed = await ask(2, 'tools/list', {});
    assert.ok(listed.result.tools.some((tool) => tool.name === 'list_applications'));
    const called = await ask(3, 'tools/call', { name: 'ping', arguments: {} });
    assert.equal(called.result.structuredContent.ok, true);
  } finally {
    child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
});
