import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();

type Report = { id: string; title: string; markdown: string; version: number; author_id: string };

describe('reports', () => {
  let owner: Person;
  let editor: Person;
  let viewer: Person;
  beforeAll(async () => {
    owner = await newPerson(platform, 'Olga');
    const organisation = await newOrganisation(owner);
    [editor, viewer] = [await newPerson(platform, 'Edith'), await newPerson(platform, 'Vera')];
    await join(owner, organisation, editor, 'EDITOR');
    await join(owner, organisation, viewer, 'VIEWER');
  });

  const written = { title: 'Third quarter', markdown: 'Revenue **grew**.\n\n![](https://elsewhere.example/pixel.png)' };

  it('are written, changed, shown as page and document, deleted and restored', async () => {
    const report = expectOk(await editor.call<Report>('POST', '/reports/', { body: written }));
    const path = `/reports/${report.id}/`;
    expect(report).toMatchObject({ ...written, version: 1 });
    const changed = await editor.call<Report>('PATCH', path, { body: { title: 'Fourth quarter', version: 1 } });
    expect(expectOk(changed)).toMatchObject({ title: 'Fourth quarter', markdown: written.markdown, version: 2 });
    const late = await editor.call('PATCH', path, { body: { title: 'Mine', version: 1 } });
    expect([late.status, late.headers['x-error-code']]).toEqual([409, 'report_changed']);

    const page = await editor.call('GET', `${path}html/`);
    expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.text).toContain('Revenue <strong>grew</strong>.');
    expect(page.text).not.toContain('elsewhere.example');
    const document = await editor.call('GET', `${path}pdf/`);
    expect(document.headers['content-type']).toBe('application/pdf');
    expect(document.text).toMatch(/^%PDF-/);

    expect(expectOk(await editor.call('DELETE', path))).toEqual({ id: report.id, deleted: true });
    expect((await editor.call('DELETE', path)).status).toBe(404);
    expect((await editor.call('GET', path)).status).toBe(404);
    expect(expectOk(await editor.call('POST', `${path}restore/`))).toMatchObject({ version: 2 });
    expect(expectOk(await editor.call('GET', path))).toMatchObject({ title: 'Fourth quarter' });
  });

  it('are their author’s, and every ADMIN’s', async () => {
    const { id } = expectOk(await editor.call<Report>('POST', '/reports/', { body: { title: 'Own', markdown: 'x' } }));
    const seenBy = async (person: Person) =>
      expectOk(await person.call<Report[]>('GET', '/reports/')).map((one) => one.id);
    expect((await viewer.call('GET', `/reports/${id}/`)).status).toBe(404);
    expect(await seenBy(viewer)).toEqual([]);
    expect(await seenBy(owner)).toContain(id);
    expect(await seenBy(editor)).toContain(id);
    expect((await viewer.call('POST', '/reports/', { body: written })).status).toBe(403);
    expect(expectOk(await owner.call('DELETE', `/reports/${id}/`))).toEqual({ id, deleted: true });
  });
});
