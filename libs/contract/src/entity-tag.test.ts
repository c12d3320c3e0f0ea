import { describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { entityTagReader, stateOfTag } from './entity-tag.ts';

const { root } = protobuf.parse(
  `syntax = "proto3";
  message Plain { string name = 1; int32 size = 2; }
  message Thing {
    string name = 1;
    int32 version = 2;
    string content = 3 [(platform.options.v1.entity_tag) = ENTITY_TAG_PART_COVERED];
    repeated string uses = 16 [(platform.options.v1.entity_tag) = ENTITY_TAG_PART_REPRESENTATION];
  }
  message Misspelt { string name = 1 [(platform.options.v1.entity_tag) = ENTITY_TAG_PART_COVERD]; }`,
  { keepCase: true },
);

const bytes = (name: string, value: object): Buffer => Buffer.from(root.lookupType(name).encode(value).finish());

describe('the entity tag of an answer', () => {
  it('is another one for each other answer, and the same for the same', () => {
    const { tagOf, stateOf } = entityTagReader(root.lookupType('Plain'));
    const tag = tagOf(bytes('Plain', { name: 'a', size: 1 }));
    expect(tag).toMatch(/^[\w-]{22}$/);
    expect(tagOf(bytes('Plain', { name: 'a', size: 1 }))).toBe(tag);
    expect(tagOf(bytes('Plain', { name: 'a', size: 2 }))).not.toBe(tag);
    expect(stateOf(bytes('Plain', { name: 'a', size: 1 }))).toBe(tag);
  });

  describe('of a type with fields that change by themselves, and some that a version covers', () => {
    const { tagOf, stateOf } = entityTagReader(root.lookupType('Thing'));
    const thing = { name: 'a', version: 1, content: 'long', uses: ['x', 'y'] };
    const tag = tagOf(bytes('Thing', thing));

    it('has the state as its first part', () => {
      expect(tag).toMatch(/^[\w-]{22}\.[\w-]{11}$/);
      expect(stateOfTag(tag)).toBe(stateOf(bytes('Thing', thing)));
    });

    it('keeps its state when only such a field changes, and changes as a whole', () => {
      const other = bytes('Thing', { ...thing, uses: ['x'] });
      expect(stateOf(other)).toBe(stateOfTag(tag));
      expect(tagOf(other)).not.toBe(tag);
    });

    it('has another state with another version, and does not look at what that covers', () => {
      expect(stateOf(bytes('Thing', { ...thing, version: 2 }))).not.toBe(stateOfTag(tag));
      expect(tagOf(bytes('Thing', { ...thing, content: 'longer' }))).toBe(tag);
    });
  });

  it('refuses a part that there is not', () => {
    expect(() => entityTagReader(root.lookupType('Misspelt'))).toThrow('COVERD');
  });
});
