import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buf } from '../src/buf.ts';
import { protosDirectory } from '../src/load.ts';

// What has been released. `npm run protos:release` renews it when a release is made.
const released = path.join(protosDirectory(), 'released.binpb');
const breaking = (protos: string) => buf('breaking', protos, '--against', released);

describe('the protos', () => {
  it('keep the rules of buf lint', () => {
    expect(buf('lint', protosDirectory())).toBe('');
  });

  it('are formatted', () => {
    expect(buf('format', '--diff', '--exit-code', protosDirectory())).toBe('');
  });

  it('break nobody who uses the released contract', () => {
    expect(breaking(protosDirectory())).toBe('');
  });
});

describe('a change that breaks the released contract', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(path.join(tmpdir(), 'protos-'));
    cpSync(protosDirectory(), copy, { recursive: true });
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
  const clientGroups = 'platform/identity/v1/client_groups.proto';

  it('is caught when a field is removed', () => {
    edit(clientGroups, '  bool archived = 4;\n', '');
    expect(() => breaking(copy)).toThrow('field "4" with name "archived" on message "ClientGroup" was deleted');
  });

  it('is caught when a field gets another type', () => {
    edit(clientGroups, '  bool archived = 4;\n', '  string archived = 4;\n');
    expect(() => breaking(copy)).toThrow('changed type from "bool" to "string"');
  });

  it('is caught when an operation is removed', () => {
    edit(clientGroups, 'rpc GetClientGroup(', 'rpc FetchClientGroup(');
    expect(() => breaking(copy)).toThrow('RPC "GetClientGroup" on service "ClientGroupService" was deleted');
  });

  it('is not seen in a field that is added', () => {
    edit(clientGroups, '  bool archived = 4;\n', '  bool archived = 4;\n  string colour = 99;\n');
    expect(breaking(copy)).toBe('');
  });
});
