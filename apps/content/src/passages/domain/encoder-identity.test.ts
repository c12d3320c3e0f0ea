import { describe, expect, it } from '@jest/globals';
import { NO_PREFIXES } from './embeddings.ts';
import { isSameEncoder, mayHaveMade, nameToStore, type EncoderIdentity } from './encoder-identity.ts';

const encoder: EncoderIdentity = {
  name: 'e5',
  endpoint: 'one.example',
  dimensions: 384,
  prefixes: { question: 'query:', passage: 'passage:' },
};

describe('an encoder', () => {
  it.each([
    ['name', { name: 'e6' }],
    ['endpoint', { endpoint: 'other.example' }],
    ['number of dimensions', { dimensions: 768 }],
    ['prefix of questions', { prefixes: { ...encoder.prefixes, question: '' } }],
    ['prefix of passages', { prefixes: { ...encoder.prefixes, passage: '' } }],
  ])('is another one by its %s', (_what, change) => {
    expect(isSameEncoder(encoder, { ...encoder, ...change })).toBe(false);
  });

  it('is the same one while it has not answered', () => {
    expect(isSameEncoder(encoder, { ...encoder, dimensions: undefined })).toBe(true);
  });

  it('has made vectors from before where they are as long and it has no prefixes', () => {
    expect(mayHaveMade(encoder, 384)).toBe(false);
    expect(mayHaveMade({ ...encoder, prefixes: NO_PREFIXES }, 384)).toBe(true);
    expect(mayHaveMade({ ...encoder, prefixes: NO_PREFIXES, dimensions: undefined }, 384)).toBe(true);
    expect(mayHaveMade({ ...encoder, prefixes: NO_PREFIXES }, 768)).toBe(false);
  });

  it('is stored under its name, or one that no other has', () => {
    expect(nameToStore('e5', [])).toBe('e5');
    expect(nameToStore('e5', [{ ...encoder, storedAs: 'e5' }])).toBe('e5@2');
    expect(
      nameToStore(
        'e5',
        ['e5', 'e5@2'].map((storedAs) => ({ ...encoder, storedAs })),
      ),
    ).toBe('e5@3');
  });
});
