import { describe, expect, it } from '@jest/globals';
import { namedEntities } from './named-entities.ts';

describe('what a client names', () => {
  it('is whatever has a type and an id, once', () => {
    const document = { type: 'document', id: '1' };
    const others = [null, 7, 'x', [], {}, { type: 'document' }, { type: 'document', id: ['1'] }, { type: 'x', id: '' }];
    expect(namedEntities([document, { ...document, type: 'DOCUMENT', name: 'A' }, ...others])).toEqual([document]);
  });

  it('is limited in number', () => {
    expect(namedEntities(Array.from({ length: 1000 }, (_, at) => ({ type: 'document', id: String(at) })))).toHaveLength(
      50,
    );
    expect(namedEntities([{ type: 'document', id: 'x'.repeat(201) }])).toEqual([]);
  });
});
