import { createHash } from 'node:crypto';

const STYLE =
  'body{max-width:24em;margin:4em auto;padding:0 1em;font:16px/1.5 system-ui,sans-serif}' +
  'label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}input,button{margin:2px 0 14px;padding:8px}';

/** The page has no script, takes nothing from elsewhere and stands in no frame. */
export const SIGN_IN_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};

/** Asks who somebody is, and believes it. */
export const signInPage = (problem = ''): string =>
  [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>Who are you?</title><style>${STYLE}</style></head><body>`,
    '<h1>Who are you?</h1>',
    '<p>This is the identity provider of development: it believes whatever you say.</p>',
    problem === '' ? '' : `<p role="alert">${problem}</p>`,
    '<form method="post">',
    '<label for="email">E-mail address</label>',
    '<input id="email" name="email" type="email" autocomplete="email" placeholder="ada@example.com" required autofocus>',
    '<label for="name">Name</label>',
    '<input id="name" name="name" autocomplete="name" placeholder="taken from the address where it is empty">',
    '<button>Sign in</button>',
    '</form></body></html>',
  ].join('\n');
