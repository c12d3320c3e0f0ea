import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { protosDirectory } from '@platform-backend/contract';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { domains } from '../src/domain-package.ts';
import { brokenPromises, promises, release } from '../src/released.ts';

/** What these protos break of what has been released of one domain, or of what all share. */
const breaking = (protos: string, name = 'identity') =>
  brokenPromises(
    protos,
    promises().filter((promised) => promised.name === name),
  ).join('\n');

/** Of these domains there are tests below; the others have nothing that these import, and only take their time. */
const copied = ['identity', 'notebooks'];
const others = domains().filter((name) => !copied.includes(name));
const ofOthers = new Set(others.flatMap((name) => [`platform/${name}`, `platform/events/v1/${name}.proto`]));

/** That all the protos are well written and break nobody the checks say by which every whole run begins. */
describe('in a copy of the protos', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(path.join(tmpdir(), 'protos-'));
    const filter = (file: string) => !ofOthers.has(path.relative(protosDirectory, file));
    cpSync(protosDirectory, copy, { recursive: true, filter });
  });
  afterEach(() => {
    rmSync(copy, { recursive: true });
  });

  const edit = (file: string, from: string, to: string) => {
    const name = path.join(copy, file);
    const text = readFileSync(name, 'utf8');
    expect(text).toContain(from);
    writeFileSync(name, text.replace(from, to));
  };

  describe('a change that breaks the released contract', () => {
    const clientGroups = 'platform/identity/v1/client_groups.proto';

    it('is caught when a field is removed', () => {
      edit(clientGroups, '  bool archived = 4;\n', '');
      expect(breaking(copy)).toContain('field "4" with name "archived" on message "ClientGroup" was deleted');
    });

    it('is caught when a field gets another type', () => {
      edit(clientGroups, '  bool archived = 4;\n', '  string archived = 4;\n');
      expect(breaking(copy)).toContain('changed type from "bool" to "string"');
    });

    it('is caught when an operation is removed', () => {
      edit(clientGroups, 'rpc GetClientGroup(', 'rpc FetchClientGroup(');
      expect(breaking(copy)).toContain('RPC "GetClientGroup" on service "ClientGroupService" was deleted');
    });

    it('is caught when a file is removed, and what it had is nowhere else', () => {
      rmSync(path.join(copy, 'platform/identity/v1/audit.proto'));
      expect(breaking(copy)).toContain('service "AuditService" was deleted');
    });

    it('is caught in what all domains share', () => {
      edit('platform/options/v1/options.proto', 'SORT_ORDER_DESC = 2', 'SORT_ORDER_DOWN = 2');
      expect(breaking(copy, 'shared')).toContain('changed name from "SORT_ORDER_DESC" to "SORT_ORDER_DOWN"');
    });

    it('is caught when a route moves', () => {
      edit(clientGroups, 'post: "/client-groups/{group_id}/archive/"', 'post: "/client-groups/{group_id}/hide/"');
      expect(breaking(copy)).toContain(
        'POST /client-groups/{group_id}/archive/ has moved to POST /client-groups/{group_id}/hide/',
      );
    });

    it('is not seen in a field that is added', () => {
      edit(clientGroups, '  bool archived = 4;\n', '  bool archived = 4;\n  string colour = 99;\n');
      expect(breaking(copy)).toBe('');
    });
  });

  describe('a release', () => {
    it('renews the promise of a domain when its own files have changed, and not when only what it imports has', () => {
      const image = path.join(copy, 'promised.binpb');
      const released = (): Buffer => {
        for (const promised of promises().filter(({ name }) => name === 'notebooks')) {
          release({ ...promised, image }, copy);
        }
        return readFileSync(image);
      };
      const first = released();
      edit('platform/options/v1/options.proto', 'AREA_SEARCH = 18;', 'AREA_SEARCH = 18; AREA_NOTES = 19;');
      expect(released().equals(first)).toBe(true);
      edit('platform/notebooks/v1/notebooks.proto', '\nmessage ', '\nmessage Added {}\n\nmessage ');
      expect(released().equals(first)).toBe(false);
    });
  });
});
