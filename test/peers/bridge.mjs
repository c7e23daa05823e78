// comporta-bridge between real stdio clients and a running Comporta: with a
// personal token, and with a person's sign-in that the next start remembers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Transport2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/stdio.js';

import { patient, ready, value } from './lib/comporta.mjs';
import { run } from './lib/node22.mjs';
import { approve, openBrowser } from './lib/person.mjs';

const bridge = fileURLToPath(new URL('../../bin/comporta-bridge', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bridge-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const token = { COMPORTA_TOKEN: ready.tokens.member };
const started = (Transport, args, env) => new Transport({ command: bridge, args, env: { HOME: folder, ...env }, stderr: 'pipe' });

const clients = [
  { title: 'SDK 1.x', Transport: Transport1, client: () => new Client1({ name: 'peers', version: '1' }) },
  ...['legacy', { pin: '2026-07-28' }].map((mode) => ({
    title: `client 2.x, ${mode.pin ?? mode}`, Transport: Transport2,
    client: () => new Client2({ name: 'peers', version: '2' }, { versionNegotiation: { mode } }),
  })),
];

for (const { title, Transport, client } of clients) {
  test(`${title}: a personal token from the environment`, async () => {
    const peer = client();
    await peer.connect(started(Transport, [ready.areas.build], token));
    const { tools } = await peer.listTools();
    assert.ok(tools.some(({ name }) => name === 'create_application'));
    const call = patient((name, args) => peer.callTool({ name, arguments: args }));
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('list_applications', { limit: 1 })));
    answers.forEach(value);
    await peer.close();
  });

  test(`${title}: --read-only shows and takes nothing that writes`, async () => {
    const peer = client();
    await peer.connect(started(Transport, [ready.areas.build, '--read-only'], token));
    await assert.rejects(peer.callTool({ name: 'create_application', arguments: { name: 'x' } }), /--read-only/);
    const { tools } = await peer.listTools();
    assert.ok(tools.length > 5 && tools.every(({ annotations }) => annotations.readOnlyHint));
    value(await patient((name, args) => peer.callTool({ name, arguments: args }))('list_applications'));
    await peer.close();
  });

  test(`${title}: a token that is refused is told, and the bridge stays clean`, async () => {
    const peer = client();
    await assert.rejects(peer.connect(started(Transport, [ready.areas.build], { COMPORTA_TOKEN: `azion${'0'.repeat(35)}` })), /Authentication failed|negotiation failed/);
  });
}

test('the Inspector reads a configuration that connect wrote', async () => {
  const file = join(folder, 'mcp.json');
  writeFileSync(file, '{"mcpServers": {"mine": {"command": "true"}}}');
  const env = { ...token, HOME: folder };
  const written = await execute(['connect', '--server', `build=${ready.areas.build}`, '--client', 'claude-desktop', '--token', '--file', file], env);
  assert.equal(written.code, 0, written.err);
  assert.match(written.err, /build: connected, \d+ tools/);
  const config = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(config.mcpServers.mine, { command: 'true' });
  assert.deepEqual(config.mcpServers.build, { command: bridge, args: [ready.areas.build, '--token-env', 'COMPORTA_TOKEN'] });
  const called = await run('@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    ['--cli', '--config', file, '--server', 'build', '-e', `COMPORTA_TOKEN=${token.COMPORTA_TOKEN}`, '--method', 'tools/list'], { env });
  assert.equal(called.code, 0, called.err);
  assert.ok(JSON.parse(called.out).tools.some(({ name }) => name === 'list_applications'), called.out.slice(0, 300));
});

test('a person signs in once; the next start remembers', async (t) => {
  if (!process.env.CHROMIUM) { t.skip('SKIPPED: needs Chromium'); return; }
  const cache = join(folder, 'tokens');
  const args = [ready.areas.build, '--no-browser', '--token-cache', cache];
  const transport = started(Transport1, args, {});
  const asked = new Promise((resolve) => {
    createInterface({ input: transport.stderr }).on('line', (line) => {
      const found = line.match(/https?:\/\/\S+\/authorize\?\S+/);
      if (found) resolve(found[0]);
    });
  });
  const browser = await openBrowser();
  const peer = new Client1({ name: 'peers', version: '1' });
  const connected = peer.connect(transport);
  await approve(browser.page, await asked, 'member');
  await browser.page.getByText('You can close this page').waitFor();
  await connected;
  const context = value(await peer.callTool({ name: 'ver_contexto_inicial', arguments: {} }));
  assert.deepEqual(context.alcance.areas, ['build']);
  assert.equal(context.cliente.nombre.contenido, 'Comporta bridge');
  await peer.close();
  await browser.close();

  for (const name of readdirSync(cache)) {
    assert.equal(statSync(join(cache, name)).mode & 0o077, 0, `${name} is its owner's alone`);
  }
  const again = new Client1({ name: 'peers', version: '1' });
  await again.connect(started(Transport1, args, {}));
  value(await again.callTool({ name: 'list_applications', arguments: {} }));
  await again.close();
});

/** Runs the bridge to its end; gives {code, out, err}. */
async function execute(args, env) {
  const child = spawn(bridge, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (data) => { texts.out += data; });
  child.stderr.on('data', (data) => { texts.err += data; });
  const code = await new Promise((resolve) => { child.on('close', resolve); });
  return { code, ...texts };
}
