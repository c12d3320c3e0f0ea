import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { itWhere } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uploadDataset } from '../src/datasets.ts';
import { DEBIAN_PYTHON, kernelsForOneLack, nbclientLack } from '../src/kernels-here.ts';
import { expectOk, newOrganisation, newPerson, newCustomer, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import { serverSentEvents } from '../src/server-sent-events.ts';

const platform = sharedPlatform();
const lack = await kernelsForOneLack();
const noNbclient = lack ?? (await nbclientLack());
const JUPYTER = '/notebooks/services/session/';

type Kernel = { id: string; execution_state: string };
type Notebook = { id: string; name: string; version: number; content: unknown };
type Run = { id: string; status: string };
type Running = { services: { kernel_id: string; notebook_id: string | null; execution_state: string }[] };

const running = async (person: Person) =>
  expectOk(await person.call<Running>('GET', '/notebooks/services/running')).services;

describe('notebooks', () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await newCustomer(platform, 'Ada');
  });

  it('are written, saved by one of two, kept, restored, exported and imported', async () => {
    const cell = (source: string) => ({ cell_type: 'markdown', id: 'a', metadata: {}, source });
    const content = (source: string) => ({ cells: [cell(source)], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const body = { name: 'Sales', content: content('# One') };
    const { id, version } = expectOk(await ada.call<Notebook>('POST', '/notebooks/', { body }));
    const path = `/notebooks/${id}`;
    const kept = expectOk(await ada.call<{ id: string }>('POST', `${path}/checkpoints/`));
    const save = (source: string) => ada.call<Notebook>('PUT', path, { body: { content: content(source), version } });
    expect(expectOk(await save('# Two'))).toMatchObject({ version: 2, content: content('# Two') });
    expect(await save('# Three')).toMatchObject({ status: 409, headers: { 'x-error-code': 'notebook_changed' } });
    const broken = { content: { ...content('#'), cells: [{ ...cell('#'), source: 1 }] } };
    expect(await ada.call('PUT', path, { body: broken })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'content', 'cells', 0, 'source'] }] },
    });
    const restored = await ada.call<Notebook>('POST', `${path}/checkpoints/${kept.id}/restore`);
    expect(expectOk(restored)).toMatchObject({ version: 3, content: content('# One') });

    const file = await ada.call('GET', `${path}/export`);
    expect(file.headers).toMatchObject({ 'content-type': 'application/x-ipynb+json' });
    const page = await ada.call('GET', `${path}/export/html`);
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' });
    expect(page.text).toContain('<h1>One</h1>');
    const again = { body: Buffer.from(file.text), headers: { 'content-type': 'application/x-ipynb+json' } };
    const imported = expectOk(await ada.call<Notebook>('POST', '/notebooks/import?name=Copy', again));
    expect(imported).toMatchObject({ name: 'Copy', content: content('# One') });
    const listed = expectOk(await ada.call<Notebook[]>('GET', '/notebooks/'));
    expect(listed.map(({ name }) => name)).toEqual(['Copy', 'Sales']);
  });

  itWhere(lack, 'run with parameters, and give a notebook and a page', async () => {
    const code = { cell_type: 'code', metadata: {}, outputs: [], execution_count: null, source: 'print(6 * factor)' };
    const content = { cells: [code], metadata: {}, nbformat: 4, nbformat_minor: 4 };
    const notebook = expectOk(await ada.call<Notebook>('POST', '/notebooks/', { body: { name: 'Run', content } }));
    const path = `/notebooks/${notebook.id}/runs/`;
    const headers = { 'idempotency-key': 'one' };
    const start = () => ada.call<Run>('POST', path, { body: { parameters: { factor: 7 } }, headers });
    const run = expectOk(await start());
    expect(expectOk(await start()).id).toBe(run.id);
    const events = await ada.call('GET', `${path}${run.id}/events`);
    expect(events.headers['content-type']).toMatch('text/event-stream');
    const watched = serverSentEvents<Run>(events.text);
    const end = { id: run.id, status: 'SUCCEEDED', cells_done: 2 };
    expect(watched.at(-1)).toMatchObject({ event: 'finished', data: end });
    expect(expectOk(await ada.call<Run>('GET', `${path}${run.id}`))).toMatchObject(end);
    const lastSeen = { headers: { 'last-event-id': watched.at(-1)?.id ?? '' } };
    expect((await ada.call('GET', `${path}${run.id}/events`, lastSeen)).status).toBe(204);
    const file = await ada.call('GET', `${path}${run.id}/export`);
    expect(file.text).toContain('# Parameters\\nfactor = 7');
    expect(file.text).toContain('42\\n');
    const page = await ada.call('GET', `${path}${run.id}/export/html`);
    expect(page.text).toContain('<pre class="stdout">42');
    expect(expectOk(await ada.call<Run[]>('GET', path)).map(({ id }) => id)).toEqual([run.id]);
    expect(expectOk(await ada.call<Run>('POST', `${path}${run.id}/cancel`)).status).toBe('SUCCEEDED');
  });

  itWhere(lack, 'stop their kernels before they are deleted', async () => {
    const { id } = expectOk(await ada.call<Notebook>('POST', '/notebooks/', { body: { name: 'Short' } }));
    const kernel = await ada.call<Kernel>('POST', `${JUPYTER}api/kernels`, { body: { path: 'Short.ipynb' } });
    expect([kernel.status, kernel.headers['location']]).toEqual([201, `${JUPYTER}api/kernels/${kernel.body.id}`]);
    await waitFor(async () => (await running(ada)).some(({ execution_state: state }) => state === 'idle'), {
      what: 'the kernel to start',
    });
    expect(await running(ada)).toMatchObject([{ kernel_id: kernel.body.id, notebook_id: id }]);
    const interrupted = await ada.call('POST', `${JUPYTER}api/kernels/${kernel.body.id}/interrupt`);
    expect([interrupted.status, interrupted.text]).toEqual([204, '']);
    expect(expectOk(await ada.call('DELETE', `/notebooks/${id}`))).toEqual({ id, deleted: true });
    expect(await running(ada)).toEqual([]);
  });
});

describe('the Jupyter surface', () => {
  it('takes credentials as Jupyter clients send them, and answers refusals as they read them', async () => {
    const ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
    const ask = (query: string, headers: Record<string, string> = {}) =>
      ada.call('GET', `${JUPYTER}api/kernels${query}`, { token: undefined as never, headers });
    expect((await ask('?1700000000000', { authorization: `token ${ada.token}` })).body).toEqual([]);
    expect((await ask(`?token=${ada.token}`)).body).toEqual([]);
    expect(await ask('')).toMatchObject({ status: 401, body: { message: 'Not authenticated', reason: null } });
    const unknown = await ada.call('DELETE', `${JUPYTER}api/kernels/3fa85f64-5717-4562-b3fc-2c963f66afa6`);
    expect(unknown).toMatchObject({ status: 404, body: { message: 'Kernel not found', reason: null } });
  });

  itWhere(lack, 'refuses a kernel that cannot be paid, as Jupyter clients read it', async () => {
    const ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
    const poor = await ada.call('POST', `${JUPYTER}api/kernels`, { headers: { 'content-type': 'text/plain' } });
    expect(poor).toMatchObject({ status: 402, headers: { 'x-error-code': 'credit_limit_reached' } });
  });

  itWhere(noNbclient, 'runs a notebook for nbclient, as the guide says', async () => {
    const ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
    expectOk(await ada.call('POST', '/credits/purchases/', { body: { credits: 100 } }));
    const guide = readFileSync(new URL('../../docs/guides/notebooks.md', import.meta.url), 'utf8');
    const [, program = ''] = /```python\n([^]*?)```/.exec(guide) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'nbclient-'));
    // Its source is longer than others are read as JSON.
    const source = `x = '${'y'.repeat(3_000_000)}'\nlen(x)`;
    const cell = { cell_type: 'code', id: 'a', metadata: {}, source, outputs: [], execution_count: null };
    const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    writeFileSync(join(folder, 'revenue.ipynb'), JSON.stringify(notebook));
    const args = ['-c', program.replace('http://127.0.0.1:8080', platform.url)];
    await promisify(execFile)(DEBIAN_PYTHON, args, { cwd: folder, env: { ...process.env, TOKEN: ada.token } });
    const executed = JSON.parse(readFileSync(join(folder, 'revenue-again.ipynb'), 'utf8')) as typeof notebook;
    expect(executed.cells[0]).toMatchObject({ outputs: [{ data: { 'text/plain': ['3000000'] } }] });
    rmSync(folder, { recursive: true });
  });

  itWhere(lack, 'keep what their cells write, in a folder that the next kernel has', async () => {
    const ada = await newCustomer(platform, 'Ada');
    const content = {
      cells: [
        {
          ...{ cell_type: 'code', id: 'a', metadata: {}, outputs: [], execution_count: null },
          source:
            'text = open("in.csv").read()\nopen("out.csv", "a").write(text.upper())\nprint(open("out.csv").read())',
        },
      ],
      ...{ metadata: {}, nbformat: 4, nbformat_minor: 5 },
    };
    const { id } = expectOk(await ada.call<Notebook>('POST', '/notebooks/', { body: { name: 'Files', content } }));
    const path = `/notebooks/${id}`;
    const file = (name: string) => `${path}/file?path=${name}`;
    const upload = { body: Buffer.from('a,b\n'), headers: { 'content-type': 'application/octet-stream' } };
    expect(expectOk(await ada.call('PUT', file('in.csv'), upload))).toMatchObject({ path: 'in.csv', size_bytes: 4 });
    expect(await ada.call('PUT', file('../in.csv'), upload)).toMatchObject({ status: 400 });
    const run = async (): Promise<string> => {
      const { id: runId } = expectOk(await ada.call<Run>('POST', `${path}/runs/`, { body: {} }));
      await waitFor(async () => {
        const { status } = expectOk(await ada.call<Run>('GET', `${path}/runs/${runId}`));
        return status !== 'PENDING' && status !== 'RUNNING';
      });
      return (await ada.call('GET', `${path}/runs/${runId}/export`)).text;
    };
    expect(await run()).toContain('A,B');
    expect((await ada.call('GET', file('out.csv'))).text).toBe('A,B\n');
    await run();
    expect((await ada.call('GET', file('out.csv'))).text).toBe('A,B\nA,B\n');
    const files = expectOk(await ada.call<{ path: string }[]>('GET', `${path}/files/`));
    expect(files.map(({ path: name }) => name)).toEqual(['in.csv', 'out.csv']);
    const audit = (await ada.call('GET', '/audit-log/')).text;
    expect(audit).toContain('notebook.files_changed');
    expectOk(await ada.call('DELETE', path));
    expect(await ada.call('GET', `${path}/files/`)).toMatchObject({ status: 404 });
  });

  itWhere(lack, 'have datasets of their organisation, as files of their folder', async () => {
    const [ada, stranger] = [await newCustomer(platform, 'Ada'), await newPerson(platform, 'Sam')];
    await newOrganisation(stranger);
    const id = await uploadDataset(ada, 'sales', 'region,amount\nnorth,120\nsouth,80\n');
    const source = 'import csv\nprint(sum(int(row["amount"]) for row in csv.DictReader(open("sales.csv"))), "in all")';
    const cells = [{ cell_type: 'code', id: 'a', metadata: {}, outputs: [], execution_count: null, source }];
    const content = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
    const create = (by: Person) => by.call<Notebook>('POST', '/notebooks/', { body: { name: 'Sales', content } });
    const [notebook, foreign] = [expectOk(await create(ada)), expectOk(await create(stranger))];
    const copy = (by: Person, to: Notebook, more: object = {}) =>
      by.call('POST', `/notebooks/${to.id}/files/datasets/`, { body: { dataset_id: id, ...more } });
    const file = { path: 'sales.csv', kind: 'FILE' };
    expect(expectOk(await copy(ada, notebook, { format: 'CSV' }))).toMatchObject({ file, dataset_id: id, version: 1 });
    expect(expectOk(await copy(ada, notebook))).toMatchObject({ file: { path: 'sales.parquet' } });
    const refused = await copy(stranger, foreign);
    expect([refused.status, refused.headers['x-error-code']]).toEqual([404, 'dataset_not_found']);
    const { id: runId } = expectOk(await ada.call<Run>('POST', `/notebooks/${notebook.id}/runs/`, { body: {} }));
    const at = `/notebooks/${notebook.id}/runs/${runId}`;
    await waitFor(async () => expectOk(await ada.call<Run>('GET', at)).status === 'SUCCEEDED');
    expect((await ada.call('GET', `${at}/export`)).text).toContain('200 in all');
  });

  itWhere(lack, 'have variables of their organisation, whose values nobody is told', async () => {
    const ada = await newCustomer(platform, 'Ada');
    const body = { value: 'hidden value' };
    const set = await ada.call('PUT', '/notebooks/environment/TOKEN', { body });
    expect(set).toMatchObject({ status: 200, body: { name: 'TOKEN' } });
    const source = 'import os\nprint(os.environ["TOKEN"][::-1])';
    const cells = [{ cell_type: 'code', id: 'a', metadata: {}, outputs: [], execution_count: null, source }];
    const content = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
    const { id } = expectOk(await ada.call<Notebook>('POST', '/notebooks/', { body: { name: 'Token', content } }));
    const { id: runId } = expectOk(await ada.call<Run>('POST', `/notebooks/${id}/runs/`, { body: {} }));
    const at = `/notebooks/${id}/runs/${runId}`;
    await waitFor(async () => expectOk(await ada.call<Run>('GET', at)).status === 'SUCCEEDED');
    expect((await ada.call('GET', `${at}/export`)).text).toContain('eulav neddih');
    const listed = await ada.call('GET', '/notebooks/environment/');
    const bad = await ada.call('PUT', '/notebooks/environment/TOKEN', {
      body: { value: 'hidden value'.repeat(5_000) },
    });
    expect([listed.status, bad.status]).toEqual([200, 422]);
    const audit = await ada.call('GET', '/audit-log/');
    expect(audit.text).toContain('environment_variable.set');
    for (const answer of [set, listed, bad, audit]) expect(answer.text).not.toContain('hidden value');
    expectOk(await ada.call('DELETE', '/notebooks/environment/TOKEN'));
    expect(expectOk(await ada.call('GET', '/notebooks/environment/'))).toEqual([]);
  });

  it('shows notebooks as files', async () => {
    const ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
    const untitled = await ada.call<{ path: string }>('POST', `${JUPYTER}api/contents`, { body: { type: 'notebook' } });
    expect(untitled).toMatchObject({ status: 201, body: { path: 'Untitled.ipynb', type: 'notebook' } });
    const at = `${JUPYTER}api/contents/Untitled.ipynb`;
    // Two pictures, which as JSON are more than other bodies may be.
    const cell = { cell_type: 'raw', id: 'pictures', metadata: {}, source: 'A'.repeat(3_000_000) };
    const content = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    expectOk(await ada.call('PUT', at, { body: { type: 'notebook', format: 'json', content } }));
    expect(expectOk(await ada.call('GET', `${at}?content=1`))).toMatchObject({ format: 'json', content });
    expectOk(await ada.call('PATCH', at, { body: { path: 'Named.ipynb' } }));
    const folder = expectOk(await ada.call<{ content: { name: string }[] }>('GET', `${JUPYTER}api/contents`));
    expect(folder.content.map(({ name }) => name)).toEqual(['Named.ipynb', 'Named']);
    const file = `${JUPYTER}api/contents/Named/in/a%20%C3%BC.csv`;
    const csv = { type: 'file', format: 'text', content: 'a,b' };
    expect((await ada.call('PUT', file, { body: csv })).status).toBe(200);
    expect(expectOk(await ada.call('GET', file))).toMatchObject({ ...csv, path: 'Named/in/a ü.csv' });
    const created = await ada.call('POST', `${JUPYTER}api/contents/Named/in`, { body: { type: 'directory' } });
    expect(created).toMatchObject({ status: 201, body: { path: 'Named/in/Untitled Folder' } });
    expect(created.headers['location']).toBe(`${JUPYTER}api/contents/Named/in/Untitled%20Folder`);
    const checkpoint = await ada.call<{ id: string }>('POST', `${file}/checkpoints`);
    expect(checkpoint.status).toBe(201);
    expect((await ada.call('POST', `${file}/checkpoints/${checkpoint.body.id}`)).status).toBe(204);
    expect((await ada.call('GET', `${JUPYTER}files/Named/in/a%20%C3%BC.csv`)).text).toBe('a,b');
    const logo = `${JUPYTER}kernelspecs/python3/logo-svg.svg`;
    expect((await ada.call('GET', logo)).text).toContain('<svg');
    const shown = await fetch(new URL(logo, platform.url));
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect((await ada.call('DELETE', `${JUPYTER}api/contents/Named/in`)).status).toBe(204);
    expect((await ada.call('DELETE', `${JUPYTER}api/contents/Named.ipynb`)).status).toBe(204);
  });
});
