import { describe, expect, it } from '@jest/globals';
import type { PermissionLevel } from '@platform-backend/core';
import { rightsOf } from './rights.ts';

describe('what a caller may have an assistant do', () => {
  const nothing = { documents: false, conventions: false, datasets: false, pipelines: false, runs: false };
  const caller = { service: 'gateway', userId: 'ada', organisationId: 'org_1' };
  const rightsOfUser = (level: PermissionLevel) => rightsOf({ ...caller, kind: 'user', level, scopes: [] });
  const rightsOfKey = (...scopes: string[]) => rightsOf({ ...caller, kind: 'api_key', level: 'ADMIN', scopes });

  it('is what they may do themselves', () => {
    expect(rightsOfUser('VIEWER')).toEqual({
      documents: true,
      conventions: true,
      datasets: true,
      pipelines: true,
      runs: false,
    });
    expect(rightsOfUser('EDITOR').runs).toBe(true);
  });

  it('is no more than the areas of a key', () => {
    expect(rightsOfKey('assistants:write')).toEqual(nothing);
    expect(rightsOfKey('assistants:write', 'documents:read')).toEqual({ ...nothing, documents: true });
    expect(rightsOfKey('assistants:write', 'pipelines:read')).toEqual({ ...nothing, pipelines: true });
    expect(rightsOfKey('assistants:write', 'pipelines:write')).toEqual({ ...nothing, pipelines: true, runs: true });
  });
});
