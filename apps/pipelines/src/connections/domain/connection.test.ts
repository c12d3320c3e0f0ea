import { describe, expect, it } from '@jest/globals';
import { urlBelow } from '../clients/http-client.ts';
import {
  changeConnection,
  createConnection,
  deleteConnection,
  MAX_CONNECTIONS,
  type Connection,
  type PostgresqlSettings,
} from './connection.ts';
import { columnTypes } from './postgresql-columns.ts';

const noon = new Date('2026-01-01T12:00:00Z');
const settings: PostgresqlSettings = {
  ...{ kind: 'POSTGRESQL', host: 'db.example.com', port: 5432, database: 'shop', user: 'reader' },
  ...{ sslMode: 'VERIFY_FULL', sslRootCertificate: '' },
};
const made = { id: 'c', name: 'Shop', settings, sealedSecret: 'sealed' };
const connection: Connection = createConnection(0, made, noon).state;

describe('a connection', () => {
  it('needs a secret but for HTTP, and there are not too many', () => {
    expect(() => createConnection(0, { ...made, sealedSecret: null }, noon)).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
    const http = { kind: 'HTTP', baseUrl: 'https://api.example.com/', headerName: 'Authorization' } as const;
    expect(createConnection(0, { ...made, settings: http, sealedSecret: null }, noon).state.sealedSecret).toBeNull();
    expect(() => createConnection(MAX_CONNECTIONS, made, noon)).toThrow(
      expect.objectContaining({ code: 'too_many_connections' }),
    );
  });

  it.each([{ host: 'evil.example.com' }, { port: 5433 }, { sslMode: 'REQUIRE' as const }])(
    'does not take its secret to another place: %o',
    (other) => {
      const elsewhere = { ...settings, ...other };
      expect(() => changeConnection(connection, { settings: elsewhere }, noon)).toThrow(
        expect.objectContaining({ violations: [expect.objectContaining({ loc: ['body', 'secret'] })] }),
      );
      const moved = changeConnection(connection, { settings: elsewhere, sealedSecret: 'other' }, noon);
      expect(moved.state).toMatchObject({ settings: elsewhere, sealedSecret: 'other' });
    },
  );

  it('keeps its secret when it is asked otherwise, and is told apart by nothing of it in the audit log', () => {
    const renamed = changeConnection(connection, { settings: { ...settings, user: 'other' } }, noon);
    expect(renamed.state).toMatchObject({ settings: { user: 'other' }, sealedSecret: 'sealed' });
    const { events } = changeConnection(connection, { sealedSecret: 'resealed' }, noon);
    expect(events[0]?.data).toEqual({ connection_id: 'c', changed_fields: ['secret'] });
    expect(JSON.stringify(events)).not.toContain('sealed"');
    expect(changeConnection(connection, { name: 'Shop' }, noon).events).toEqual([]);
    expect(() =>
      changeConnection(connection, { settings: { kind: 'HTTP', baseUrl: '', headerName: '' } }, noon),
    ).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  it('stays while datasets are read from it, and says which', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect(() => deleteConnection(connection, names, noon)).toThrow('a, b, c, d, e, 2 more');
    expect(deleteConnection(connection, [], noon).state).toBeUndefined();
  });
});

describe('a path of an HTTP connection', () => {
  const below = (path: string) => urlBelow({ baseUrl: 'https://api.example.com/v1' }, path).href;

  it('is below its address, with a query or none', () => {
    expect(below('orders?status=paid')).toBe('https://api.example.com/v1/orders?status=paid');
    expect(below('/orders')).toBe('https://api.example.com/v1/orders');
    expect(below('')).toBe('https://api.example.com/v1');
    expect(below('//other.example.com/')).toBe('https://api.example.com/v1/other.example.com/');
    expect(below('@other.example.com')).toBe('https://api.example.com/v1/@other.example.com');
  });

  it.each(['../v2', '%2e%2e/v2', 'a/../../v2', '..'])('does not lead out of it: %s', (path) => {
    expect(() => below(path)).toThrow('leads out');
  });
});

describe('the columns of a query of PostgreSQL', () => {
  const numeric = (dataTypeModifier: number) => ({ name: 'n', dataTypeID: 1700, dataTypeModifier });
  const typeOf = (column: ReturnType<typeof numeric>, ...values: (string | null)[]) => {
    const typed = columnTypes([column]);
    for (const value of values) typed.see([value]);
    return typed.types()[0]?.type;
  };

  it('have the types that they have there, and text where there is none', () => {
    const ids = [16, 20, 701, 1184, 2950, 25, 3802];
    const columns = ids.map((dataTypeID) => ({ name: String(dataTypeID), dataTypeID, dataTypeModifier: -1 }));
    const types = ['BOOLEAN', 'BIGINT', 'DOUBLE', 'TIMESTAMPTZ', 'UUID', 'VARCHAR', 'VARCHAR'];
    expect(
      columnTypes(columns)
        .types()
        .map(({ type }) => type),
    ).toEqual(types);
  });

  it('are decimals that hold all numbers exactly, or approximate ones where none does', () => {
    expect(typeOf(numeric(((12 << 16) | 2) + 4), '1.50')).toBe('DECIMAL(12,2)');
    expect(typeOf(numeric(((12 << 16) | 2) + 4), 'NaN')).toBe('DOUBLE');
    expect(typeOf(numeric(-1), '1.5', null, '-12345.678')).toBe('DECIMAL(18,3)');
    expect(typeOf(numeric(-1), '9223372036854775808.5')).toBe('DECIMAL(38,1)');
    expect(typeOf(numeric(-1), '1'.repeat(39))).toBe('DOUBLE');
    expect(typeOf(numeric(-1))).toBe('DECIMAL(18,0)');
  });
});
