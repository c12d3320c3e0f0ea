import { describe, expect, it } from '@jest/globals';
import { fetchedName, fetchedType, shownUrl } from './fetched-name.ts';

const url = 'https://files.example.com/a/holi%20days.pdf?token=secret#page';

describe('what is fetched from an address', () => {
  it('is called as the header says, without folders, else as the path does', () => {
    expect(fetchedName(url, null)).toBe('holi days.pdf');
    expect(fetchedName(url, 'attachment; filename="../../etc/rules \\"1\\".docx"')).toBe('rules "1".docx');
    expect(fetchedName(url, "attachment; filename=plain.txt; filename*=UTF-8''r%C3%A8gles.txt")).toBe('règles.txt');
    expect(fetchedName(url, 'inline; filename=plain.txt')).toBe('plain.txt');
    expect(fetchedName('https://files.example.com/', 'attachment; filename=""')).toBe('document');
    expect(fetchedName('https://files.example.com/%E0%A4%A', null)).toBe('%E0%A4%A');
  });

  it('is taken for what the header says, or the name where that says nothing', () => {
    expect(fetchedType('a.pdf', 'text/html; charset=utf-8')).toBe('text/html');
    expect(fetchedType('a.pdf', 'application/octet-stream')).toBe('application/pdf');
    expect(fetchedType('a.md', 'text/plain')).toBe('text/markdown');
    expect(fetchedType('a', 'text/plain')).toBe('text/plain');
    expect(fetchedType('a', 'no type')).toBe('application/octet-stream');
    expect(fetchedType('a.pdf', `text/${'x'.repeat(251)}`)).toBe('application/pdf');
    expect(fetchedType('a.pdf', `text/${'x'.repeat(250)}`)).toHaveLength(255);
    expect(fetchedType('a', null)).toBe('application/octet-stream');
  });

  it('is shown without what may be secret of its address', () => {
    expect(shownUrl(url)).toBe('https://files.example.com/a/holi%20days.pdf');
  });
});
