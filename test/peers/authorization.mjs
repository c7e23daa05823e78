// What needs a person and some patience: the official conformance suite's
// scenarios of an authorization server, the Inspector's sign-in, every client's
// own refresh when its access token has run out, and a client that shows its
// person the page of an approval.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { follow, fresh, headerOf, patient, ready, value } from './lib/comporta.mjs';
import { run } from './lib/node22.mjs';
import { Keeper, approve, callback, checkAnswer, openBrowser, signIn } from './lib/person.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser.close());

const node22 = fileURLToPath(new URL('node_modules/node/bin/node', import.meta.url));
const module = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

/** Starts a program; asked is the authorization URL that it prints, ended its exit. */
function start(program, args, env = {}) {
  const child = spawn(node22, [module(program), ...args], { env: { ...process.env, BROWSER: 'true', DISPLAY: '', ...env } });
  let out = '';
  let all = '';
  const asked = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        all += `${line}\n`;
        if (stream === child.stdout) out += `${line}\n`;
        const found = line.match(/https?:\/\/\S+\/authorize\?[^\s"]+/);
        if (found) resolve(found[0]);
      });
    }
  });
  const ended = new Promise((resolve) => { child.on('close', (code) => resolve({ code, out, all })); });
  return { child, asked, ended };
}

async function registered(redirect) {
  const response = await fetch(`${ready.auth}/register`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [redirect], token_endpoint_auth_method: 'none' }),
  });
  assert.equal(response.status, 201);
  return (await response.json()).client_id;
}

test('conformance: the scenarios of an authorization server', { timeout: 90_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const back = await callback();
  const { port } = new URL(back.url);
  back.close();
  const client = await registered(`http://127.0.0.1:${port}/callback`);
  const suite = start('@modelcontextprotocol/conformance/dist/index.js', [
    'authorization', '--url', ready.auth, '--client-id', client, '--resource', ready.areas.build, '-p', port, '-o', folder,
  ]);
  try {
    await approve(browser.page, await suite.asked, 'member');
    const { code, all } = await suite.ended;
    assert.equal(code, 0, all);
    const summary = all.slice(all.indexOf('=== SUMMARY ==='));
    for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant']) {
      const [, passed, failed] = summary.match(new RegExp(`${scenario}: (\\d+) passed, (\\d+) failed`)) ?? [];
      assert.ok(Number(passed) > 0 && Number(failed) === 0, summary);
      t.diagnostic(`${scenario}: ${passed} checks passed`);
    }
  } finally {
    suite.child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** How long an access token lives here, in seconds; the tests wait for its end. */
function life(tokens) {
  assert.ok(tokens.expires_in <= 30, `access tokens live ${tokens.expires_in} s: start Comporta with COMPORTA_OAUTH_ACCESS_LIFE=8s`);
  return tokens.expires_in;
}

test('Inspector: signs in through OAuth, calls, and refreshes by itself', { timeout: 120_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'inspector-'));
  const back = await callback();
  const { port } = new URL(back.url);
  back.close();
  const program = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';
  const args = ['--cli', ready.areas.build, '--transport', 'http', '--method', 'tools/list', '--callback-url', `http://127.0.0.1:${port}/oauth/callback`];
  const env = { HOME: home, MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' };
  const first = start(program, args, env);
  try {
    await approve(browser.page, await first.asked, 'member');
    const { code, out, all } = await first.ended;
    assert.equal(code, 0, all);
    assert.ok(JSON.parse(out).tools.some((tool) => tool.name === 'list_applications'));
    await sleep(9_000);
    const later = await run(program, [...args, '--stored-auth-only'], { env, seconds: 30 });
    assert.equal(later.code, 0, later.err);
    assert.ok(JSON.parse(later.out).tools.length > 0, 'it refreshed without its person');
  } finally {
    first.child.kill();
    rmSync(home, { recursive: true, force: true });
  }
});

const sdks = [
  {
    title: 'SDK 1.x',
    client: () => new Client1({ name: 'peers', version: '1.0.0' }),
    transport: (keeper) => new Transport1(new URL(ready.areas.build), { authProvider: keeper }),
    finish: (transport, answer) => transport.finishAuth(answer.get('code')),
  },
  ...[['legacy', 'legacy'], ['2026-07-28', { pin: '2026-07-28' }]].map(([era, mode]) => ({
    title: `client 2.x, ${era}`,
    client: (more = {}) => new Client2({ name: 'peers', version: '2.0.0' }, { versionNegotiation: { mode }, ...more }),
    transport: (keeper) => new Transport2(new URL(ready.areas.build), { authProvider: keeper }),
    finish: (transport, answer) => transport.finishAuth(answer),
  })),
];

/** Connects as a new client whose person sets the form with change(page). */
async function connect({ client, transport, finish }, change, more) {
  const back = await callback();
  const keeper = new Keeper(back.url);
  const first = transport(keeper);
  await assert.rejects(client(more).connect(first), /[Uu]nauthorized/);
  await approve(browser.page, keeper.asked, 'member', change);
  const answer = await back.answer();
  checkAnswer(answer, keeper);
  await finish(first, answer);
  back.close();
  const peer = client(more);
  await peer.connect(transport(keeper));
  return { peer, keeper };
}

for (const sdk of sdks) {
  test(`${sdk.title}: goes on by itself when its access token has run out`, { timeout: 90_000 }, async () => {
    const { peer, keeper } = await connect(sdk);
    const { access_token: before, refresh_token: used } = keeper.kept;
    value(await peer.callTool({ name: 'list_applications', arguments: {} }));
    await sleep(life(keeper.kept) * 1000 + 1_500); // expires_in is rounded down to whole seconds
    const refused = await fetch(ready.areas.build, { method: 'POST', headers: { Authorization: `Bearer ${before}` } });
    assert.equal(refused.status, 401, 'the access token has run out');
    value(await peer.callTool({ name: 'list_applications', arguments: {} }));
    assert.notEqual(keeper.kept.access_token, before);
    assert.notEqual(keeper.kept.refresh_token, used);
    await peer.close();
  });
}

test('mcp-remote: goes on by itself when its access token has run out', { timeout: 90_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
  const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: 'true', DISPLAY: '' };
  const child = spawn(process.execPath, [module('mcp-remote/dist/proxy.js'), ready.areas.build, '--allow-http', '--transport', 'http-only'], { env });
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
    assert.ok((await begun).result?.serverInfo);
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    for (const id of [2, 3]) {
      const called = await ask(id, 'tools/call', { name: 'list_applications', arguments: {} });
      assert.ok(Array.isArray(called.result?.structuredContent?.results), JSON.stringify(called));
      if (id === 2) await sleep(9_000);
    }
  } finally {
    child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('client 2.x, 2026-07-28: shows its person the page of an approval', { timeout: 90_000 }, async () => {
  const before = async (page) => {
    await page.locator('#read_only').uncheck();
    await page.locator('input[name=ask][value=escrituras]').check();
  };
  const { peer } = await connect(sdks[2], before, { capabilities: { elicitation: { url: {} } } });
  const shown = [];
  peer.setRequestHandler('elicitation/create', async (request) => {
    shown.push(request.params);
    await browser.page.goto(request.params.url);
    await signIn(browser.page, 'member');
    await browser.page.getByRole('button', { name: 'Do it' }).click();
    return { action: 'accept' };
  });
  const name = fresh('elicited');
  const begun = value(await peer.callTool({ name: 'create_application', arguments: { name } }));
  assert.equal(shown.length, 1);
  assert.equal(shown[0].mode, 'url');
  assert.ok(shown[0].url.endsWith(begun.operacion_id), 'the retry is the same operation');
  const seen = await follow(patient((tool, args) => peer.callTool({ name: tool, arguments: args })), begun.operacion_id);
  assert.equal(seen.at(-1).estado, 'ok', JSON.stringify(seen.at(-1).error));
  const removed = await fetch(`${ready.platform}/workspace/applications/${seen.at(-1).resultado.data.id}`, {
    method: 'DELETE', headers: { Authorization: headerOf('member') },
  });
  assert.ok(removed.ok, `the application is removed again: ${removed.status}`);
  await peer.close();
});
