import { describe, expect, it } from '@jest/globals';
import { reportHtml, safeHtml } from './report-html.ts';

const picture = 'data:image/png;base64,iVBORw0KGgo=';

describe('the HTML of a report', () => {
  it('shows what Markdown means', () => {
    const html = safeHtml('# Title\n\nSome **bold** text.\n\n| a |\n|---|\n| b |\n\n- [x] done');
    expect(html).toContain('<h1>Title</h1>');
    expect(html).toContain('<strong>bold</strong>');
    expect(html).toContain('<td>b</td>');
    expect(html).toContain('☑ done');
  });

  it.each([
    ['<script>steal()</script>'],
    ['<img src=x onerror=steal()>'],
    ['<a href="javascript:steal()">x</a>'],
    ['[x](javascript:steal())'],
    ['[x](data:text/html;base64,c3RlYWwoKQ==)'],
    ['<svg onload=steal()>'],
    ['<iframe src="https://steal.example">'],
    ['<style>@import url(https://steal.example)</style>'],
    ['<p style="background:url(https://steal.example)">x</p>'],
    ['<link rel=stylesheet href=https://steal.example>'],
    ['<meta http-equiv=refresh content="0;url=https://steal.example">'],
    ['![](https://steal.example/pixel.png)'],
    ['![](//steal.example/pixel.png)'],
    ['<img src="https://steal.example/pixel.png" srcset="https://steal.example/2.png 2x">'],
    ['![](data:image/svg+xml;base64,c3RlYWw=)'],
    ['<form action="https://steal.example"><input name=x></form>'],
  ])('neither runs nor fetches anything: %s', (markdown) => {
    expect(safeHtml(markdown)).not.toMatch(/steal|c3RlYWw|<(?:script|svg|iframe|style|link|meta|form|input|img)/i);
  });

  it('leads from a mark to its note and back, each text by itself', () => {
    const html = safeHtml('A claim.[^a]\n\n[^a]: Its **reason**.');
    expect(html).toMatch(/<sup><a [^>]*href="#footnote-a"[^>]*>1<\/a><\/sup>/);
    expect(html).toMatch(/<li id="footnote-a">\s*<p>Its <strong>reason<\/strong>/);
    expect(safeHtml('Another text.[^a]')).toContain('[^a]');
    expect(safeHtml('<a id="x" href="https://example.com">y</a>')).not.toContain('id=');
  });

  it('shows pictures that it holds itself', () => {
    expect(safeHtml(`![A dot](${picture})`)).toContain(`<img src="${picture}" alt="A dot" />`);
  });

  it('says its title once', () => {
    expect(reportHtml({ title: 'A & B', markdown: 'Text' })).toContain('<h1>A &amp; B</h1>\n<p>Text</p>');
    expect(reportHtml({ title: 'A & B', markdown: '# A & B\n\nText' }).match(/<h1>/g)).toHaveLength(1);
  });
});
