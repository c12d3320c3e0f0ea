import { describe, expect, it } from '@jest/globals';
import { pageHeaders } from './page-headers.ts';

const target = (rawQuery: string): { path: string; rawQuery: string } => ({ path: '/messages/', rawQuery });

describe('the headers of a page', () => {
  it('are none for an answer that is no page, and for the last page', () => {
    expect(pageHeaders(target('limit=1'), undefined, undefined)).toEqual([]);
  });

  it('name the next page with the query as it was sent, its cursor replaced', () => {
    expect(pageHeaders(target('status=a&cursor=old&status=%20b'), 'new', undefined)).toEqual([
      'Link',
      '</messages/?status=a&status=%20b&cursor=new>; rel="next"',
      'X-Next-Cursor',
      'new',
    ]);
    expect(pageHeaders(target(''), 'new', undefined)[1]).toBe('</messages/?cursor=new>; rel="next"');
  });

  it('count only what was asked to be counted', () => {
    expect(pageHeaders(target(''), undefined, 0)).toEqual(['X-Total-Count', '0']);
  });

  it('cannot be broken out of by what a client sends', () => {
    const [, link = ''] = pageHeaders(target('a=>;rel=x"'), 'new', undefined);
    expect(link.match(/[<>]/g)).toEqual(['<', '>']);
  });
});
