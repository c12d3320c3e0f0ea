import { describe, expect, it } from '@jest/globals';
import { labelsOf, metadataOf, requireMetadata } from './metadata.ts';

describe('what clients know of a document', () => {
  it('is kept as labels in one order, of which it is made again', () => {
    const metadata = { region: 'eu', formula: 'a=b', department: 'hr' };
    expect(labelsOf(metadata)).toEqual(['department=hr', 'formula=a=b', 'region=eu']);
    expect(metadataOf(labelsOf(metadata))).toEqual(metadata);
    expect([labelsOf(), metadataOf([])]).toEqual([[], {}]);
  });

  it.each([[{ 'a=b': 'c' }], [{ 'a.b': 'c' }], [{ '': 'c' }], [{ a: '' }]])(
    'has names and values: not %p',
    (metadata) => {
      expect(() => requireMetadata(metadata)).toThrow();
      expect(requireMetadata({ 'a_B-1': 'ü =' })).toEqual({ 'a_B-1': 'ü =' });
    },
  );
});
