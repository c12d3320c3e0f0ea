import { describe, expect, it } from '@jest/globals';
import { headerOptions, isJsonContentType } from './content-type.ts';

describe('content types', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON; charset=x',
    'application/json;',
    ' application/vnd.api+json',
    'application/+json',
  ])('%s is JSON', (header) => {
    expect(isJsonContentType(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'text/json',
    'application/jsonx',
    'application/json, text/plain',
    'application/json/x',
    'json',
    ';',
  ])('%s is not', (header) => {
    expect(isJsonContentType(header)).toBe(false);
  });
});

describe('header options', () => {
  const options = (header: string): unknown => Object.fromEntries(headerOptions(header).options);

  it('are cut at semicolons outside quotes', () => {
    expect(options('form-data; name="a;b"; filename="c\\"d.txt" ; x=y')).toEqual({
      name: 'a;b',
      filename: 'c"d.txt',
      x: 'y',
    });
    expect(headerOptions('Multipart/Form-Data; boundary=x').value).toBe('Multipart/Form-Data');
    expect(headerOptions(' Multipart/Form-Data ').value).toBe('multipart/form-data');
  });

  it('leave out extended parameters and folders of old browsers', () => {
    expect(options('form-data; NAME=a; filename*=UTF-8\'\'x; filename="C:\\dir\\b.txt"')).toEqual({
      name: 'a',
      filename: 'b.txt',
    });
  });
});
