import { describe, expect, it } from '@jest/globals';
import { beginningOfResult, modelNameOf, serverTool } from './server-tool.ts';

describe('what a server says of its tools', () => {
  it('has names that no tool of the platform has, and that servers of models take', () => {
    expect(modelNameOf('crm', 'search_documents')).toBe('crm__search_documents');
    expect(modelNameOf('crm', 'orders/find.one')).toBe('crm__orders_find_one');
    expect(modelNameOf('crm', 'x'.repeat(200))).toHaveLength(64);
  });

  it('is bounded, without what nobody sees', () => {
    expect(serverTool('t', `a\u200bb\u202ec\nd${'x'.repeat(2_000)}`, undefined)).toMatchObject({
      description: `abc d${'x'.repeat(995)}`,
      parameters: { type: 'object' },
    });
    expect(serverTool('t', '', { type: 'object', description: 'x'.repeat(20_000) }).parameters).toBeNull();
    expect(serverTool('t', '', 'nonsense').parameters).toEqual({ type: 'object', properties: {} });
  });

  it('is cut at bytes of which every character is whole, with a word about it', () => {
    expect(beginningOfResult('äöü', 6)).toBe('äöü');
    expect(beginningOfResult('äöü', 5)).toMatch(/^äö\n\[The rest/);
  });
});
