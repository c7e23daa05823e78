// @modelcontextprotocol/inspector --cli, in both eras, with its check of schemas
// that common clients refuse (--strict).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { headerOf, ready } from './lib/comporta.mjs';
import { run } from './lib/node22.mjs';

const home = mkdtempSync(join(tmpdir(), 'inspector-')); // it keeps files under HOME
after(() => rmSync(home, { recursive: true, force: true }));

function inspect(area, who, era, ...args) {
  return inspectAt(ready.areas[area], who, era, ...args);
}

function inspectAt(url, who, era, ...args) {
  const header = `Authorization: ${headerOf(who)}`;
  const common = ['--cli', url, '--transport', 'http', '--header', header, '--protocol-era', era, '--stored-auth-only'];
  return run('@modelcontextprotocol/inspector/clients/launcher/build/index.js', [...common, ...args], { env: { HOME: home } });
}

for (const era of ['legacy', 'modern']) {
  for (const area of Object.keys(ready.areas)) {
    test(`Inspector, ${era}: lists the tools of ${area} and finds no schema that clients refuse`, async () => {
      const { code, out, err } = await inspect(area, 'member', era, '--method', 'tools/list', '--strict');
      assert.equal(code, 0, err);
      const names = JSON.parse(out).tools.map((tool) => tool.name);
      assert.ok(names.includes('ver_contexto_inicial'), names.join());
    });
  }

  for (const area of Object.keys(ready.areas)) {
    test(`Inspector, ${era}: the small front of ${area} has eight tools, finds one and runs it`, async () => {
      const lite = (...args) => inspectAt(`${ready.areas[area]}/lite`, 'member', era, ...args);
      const list = await lite('--method', 'tools/list', '--strict');
      assert.equal(list.code, 0, list.err);
      const tools = JSON.parse(list.out).tools;
      assert.equal(tools.length, 8);
      const found = await lite('--method', 'tools/call', '--tool-name', 'buscar_herramientas',
        '--tool-args-json', '{"consulta":"listar empresas","limite":1}');
      assert.equal(found.code, 0, found.err);
      const [first] = JSON.parse(found.out).structuredContent.herramientas;
      assert.equal(first.name, 'listar_empresas');
      assert.equal(first.annotations.readOnlyHint, true);
      const done = await lite('--method', 'tools/call', '--tool-name', 'ejecutar_herramienta',
        '--tool-args-json', JSON.stringify({ herramienta: first.name, argumentos: {} }));
      assert.equal(done.code, 0, done.err);
      assert.ok(JSON.parse(done.out).structuredContent.empresas.length > 0);
    });
  }

  test(`Inspector, ${era}: calls a tool`, async () => {
    const { code, out, err } = await inspect('build', 'member', era,
      '--method', 'tools/call', '--tool-name', 'list_applications', '--tool-args-json', '{"limit":1}');
    assert.equal(code, 0, err);
    assert.ok(Array.isArray(JSON.parse(out).structuredContent.results));
  });

  test(`Inspector, ${era}: reads the first context as a resource`, async () => {
    const { code, out, err } = await inspect('build', 'member', era,
      '--method', 'resources/read', '--uri', 'azion://contexto-inicial');
    assert.equal(code, 0, err);
    assert.match(JSON.parse(JSON.parse(out).contents[0].text).enlace.id, /^pt_/);
  });
}
