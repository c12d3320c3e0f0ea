import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { createNotebook, deleteNotebook, emptyNotebook, renameNotebook, saveNotebook } from './notebook.ts';

const noon = new Date('2026-01-01T12:00:00Z');
const later = new Date('2026-01-01T13:00:00Z');
const notebook = createNotebook({ id: 'n1', name: 'Sales' }, emptyNotebook, noon).state;
const content = { text: '{"cells":[ ]}', sizeBytes: 13, formatMinor: 4, language: 'python' };

describe('a notebook', () => {
  it('begins at version 1 and publishes that', () => {
    const { state, events } = createNotebook({ id: 'n1', name: 'Sales' }, emptyNotebook, noon);
    expect(state).toMatchObject({ version: 1, formatMinor: 5, createdAt: noon, updatedAt: noon });
    expect(events).toMatchObject([{ name: 'notebook.created', data: { notebook_id: 'n1', name: 'Sales' } }]);
  });

  it('gets another version with each content, and says what has changed', () => {
    const { state, events } = saveNotebook(notebook, content, { changedVersion: 1, isThere: false }, later);
    expect(state).toMatchObject({ version: 2, sizeBytes: 13, formatMinor: 4, language: 'python', updatedAt: later });
    expect(events).toMatchObject([{ name: 'notebook.updated', data: { changed_fields: ['version', 'size_bytes'] } }]);
  });

  it('is not saved over a version that its writer has not seen', () => {
    const saved = saveNotebook(notebook, content, { changedVersion: undefined, isThere: false }, later).state;
    const late = { changedVersion: 1, isThere: false };
    expect(() => saveNotebook(saved, content, late, later)).toThrow(DomainError);
    // Who has not heard of the answer asks once more.
    expect(saveNotebook(saved, content, { ...late, isThere: true }, later)).toMatchObject({ state: saved, events: [] });
  });

  it('keeps its version with another name, and says nothing of the same name', () => {
    expect(renameNotebook(notebook, 'Costs', later).state).toMatchObject({ name: 'Costs', version: 1 });
    expect(renameNotebook(notebook, 'Sales', later)).toMatchObject({ state: notebook, events: [] });
  });

  it('publishes that it is deleted', () => {
    expect(deleteNotebook(notebook, later)).toMatchObject({ state: undefined, events: [{ name: 'notebook.deleted' }] });
  });
});
