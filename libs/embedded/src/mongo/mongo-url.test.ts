import { describe, expect, it } from '@jest/globals';
import { mongoDatabaseUrl } from './mongo-url.ts';

describe('the address of a database on a MongoDB server', () => {
  it.each([
    ['mongodb://host:27017', 'mongodb://host:27017/content'],
    ['mongodb://host:27017/', 'mongodb://host:27017/content'],
    ['mongodb://a:1,b:2/?replicaSet=rs', 'mongodb://a:1,b:2/content?replicaSet=rs'],
    ['mongodb://host/staging', 'mongodb://host/staging_content'],
    ['mongodb://u:p%40@host/', 'mongodb://u:p%40@host/content'],
    ['mongodb://u:p@host/admin', 'mongodb://u:p@host/content?authSource=admin'],
    ['mongodb://u:p@host/staging?w=majority', 'mongodb://u:p@host/staging_content?w=majority&authSource=staging'],
    ['mongodb+srv://u:p@host/x?authSource=y', 'mongodb+srv://u:p@host/x_content?authSource=y'],
  ])('is made of %s', (url, expected) => expect(mongoDatabaseUrl(url, 'content')).toBe(expected));

  it('is refused for what is none', () => {
    expect(() => mongoDatabaseUrl('http://host', 'content')).toThrow('MONGO_URL has to begin with mongodb://');
  });
});
