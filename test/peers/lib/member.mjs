// What an ordinary person's agent does on the build host, told once for every
// client library. connect(area, who) gives a peer: {list(), call(name, args), close()}.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { follow, fresh, headerOf, operationKeys, patient, problem, ready, value } from './comporta.mjs';

export function memberRun(title, connect) {
  describe(title, () => {
    let build;
    let storage;
    let call;
    let application;
    const name = fresh('app');
    const key = fresh('key');

    before(async () => {
      build = await connect('build', 'member');
      storage = await connect('storage', 'member');
      call = patient(build.call);
    });
    after(async () => {
      await build?.close();
      await storage?.close();
    });

    const applicationsNamed = async (wanted) => {
      const found = value(await call('list_applications', { name: wanted }));
      return found.results.filter((one) => one.name === wanted);
    };

    test('lists tools in a stable order, each with four annotations', async () => {
      const tools = await build.list();
      const names = tools.map((tool) => tool.name);
      assert.deepEqual((await build.list()).map((tool) => tool.name), names);
      assert.equal(new Set(names).size, names.length);
      for (const wanted of ['ping', 'ver_contexto_inicial', 'ver_operacion', 'create_application', 'create_workload']) {
        assert.ok(names.includes(wanted), wanted);
      }
      for (const tool of tools) {
        for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
          assert.equal(typeof tool.annotations?.[hint], 'boolean', `${tool.name}: ${hint}`);
        }
        assert.equal(tool.inputSchema.type, 'object', tool.name);
        assert.ok(!JSON.stringify(tool).includes('$ref'), `${tool.name} has no reference`);
      }
    });

    test('learns for whom it acts', async () => {
      const context = value(await call('ver_contexto_inicial'));
      assert.match(context.enlace.id, /^pt_[0-9a-f]{16}$/);
      assert.ok(context.alcance.areas.includes('build'));
    });

    test('a dry run shows the request and changes nothing', async () => {
      const preview = value(await call('create_application', { name, dry_run: true }));
      assert.equal(preview.dry_run, true);
      assert.equal(preview.method, 'POST');
      assert.equal(preview.url, `${ready.platform}/workspace/applications`);
      assert.equal(preview.headers.Authorization, headerOf('member'));
      assert.equal(preview.body.name, name);
      assert.notEqual(preview.advertencia, '');
      assert.deepEqual(await applicationsNamed(name), []);
    });

    test('creates an application once, however often it repeats the call', async () => {
      const first = value(await call('create_application', { name, idempotency_key: key }));
      application = first.data.id;
      assert.ok(Number.isInteger(application));
      assert.notEqual(first.idempotente, true);
      const again = value(await call('create_application', { name, idempotency_key: key }));
      assert.equal(again.idempotente, true);
      assert.equal(again.data.id, application);
      assert.deepEqual((await applicationsNamed(name)).map((one) => one.id), [application]);
    });

    test('the same key with other arguments is a conflict', async () => {
      const told = problem(await call('create_application', { name: `${name}-b`, idempotency_key: key }));
      assert.equal(told.code, 'conflicto');
      assert.equal(told.reintentable, false);
      assert.deepEqual(await applicationsNamed(`${name}-b`), []);
    });

    test('wrong arguments are refused by name', async () => {
      const told = problem(await call('create_application', { name, colour: 'blue' }));
      assert.equal(told.code, 'parametro_invalido');
      assert.match(JSON.stringify(told.detalle.fields), /colour/);
    });

    test('a rule sends ${uri} and reads back as it was sent', async () => {
      const rule = {
        application_id: application,
        name: fresh('rule'),
        criteria: [[{ conditional: 'if', variable: '${uri}', operator: 'starts_with', argument: '/private' }]],
        behaviors: [{ type: 'deny' }],
      };
      const made = value(await call('create_application_request_rule', rule));
      const read = value(await call('retrieve_application_request_rule', {
        application_id: application, request_rule_id: made.data.id,
      }));
      assert.deepEqual(read.data.criteria, rule.criteria);
      assert.deepEqual(read.data.behaviors, rule.behaviors);
    });

    test('a workload is an operation that every host can tell about', async () => {
      const workloadName = fresh('workload');
      const begun = value(await call('create_workload', { name: workloadName, idempotency_key: fresh('key') }));
      assert.equal(begun.estado, 'en_curso');
      assert.equal(typeof begun.operacion_id, 'string');
      assert.ok(begun.reintentar_en_segundos >= 1);

      const seen = await follow(call, begun.operacion_id);
      assert.equal(seen[0].estado, 'en_curso', 'asked at once, it is still running');
      const end = seen.at(-1);
      assert.equal(end.estado, 'ok', JSON.stringify(end.error));
      assert.equal(end.fase, 'terminada');
      assert.equal(end.resultado.data.name, workloadName);
      for (const state of seen) {
        assert.deepEqual(Object.keys(state).sort(), operationKeys);
      }
      const elsewhere = value(await patient(storage.call)('ver_operacion', { operacion_id: begun.operacion_id }));
      assert.deepEqual(elsewhere, end, 'the storage host says the same');

      const other = await connect('build', 'outsider');
      const told = problem(await other.call('ver_operacion', { operacion_id: begun.operacion_id }));
      assert.equal(told.code, 'no_encontrado');
      await other.close();
    });

    test('a deletion wants the exact name', async () => {
      for (const confirmacion of [undefined, `${name} `]) {
        const args = { application_id: application, ...(confirmacion && { confirmacion }) };
        assert.equal(problem(await call('delete_application', args)).code, 'conflicto');
      }
      assert.equal((await applicationsNamed(name)).length, 1);
      value(await call('delete_application', { application_id: application, confirmacion: name }));
      assert.deepEqual(await applicationsNamed(name), []);
    });

    test('a tool that does not exist is a protocol error', async () => {
      await assert.rejects(build.call('make_coffee', {}), (error) => error.code === -32602);
    });
  });
}

/** What a reader and a stranger may not do. */
export function othersRun(title, connect) {
  describe(title, () => {
    test('a reader sees no writing tool and may call none', async () => {
      const reader = await connect('build', 'reader');
      const tools = await reader.list();
      assert.deepEqual(tools.filter((tool) => !tool.annotations.readOnlyHint && tool.name !== 'cancelar_operacion')
        .map((tool) => tool.name), []);
      const told = problem(await patient(reader.call)('create_application', { name: fresh('no') }));
      assert.equal(told.code, 'sin_permiso');
      assert.equal(told.detalle.motivo, 'solo_lectura');
      await reader.close();
    });

    test("a stranger sees nothing of the member's", async () => {
      const member = await connect('build', 'member');
      const stranger = await connect('build', 'outsider');
      const name = fresh('private');
      const made = value(await patient(member.call)('create_application', { name }));
      const id = made.data.id;
      const ask = patient(stranger.call);
      assert.deepEqual(value(await ask('list_applications', { name })).results, []);
      assert.equal(problem(await ask('retrieve_application', { application_id: id })).code, 'no_encontrado');
      const change = { application_id: id, name: `${name}-stolen` };
      assert.equal(problem(await ask('partial_update_application', change)).code, 'no_encontrado');
      const mine = patient(member.call);
      assert.equal(value(await mine('retrieve_application', { application_id: id })).data.name, name);
      value(await mine('delete_application', { application_id: id, confirmacion: name }));
      await member.close();
      await stranger.close();
    });
  });
}
