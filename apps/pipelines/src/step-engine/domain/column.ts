/** A column, with its type as DuckDB writes it: `INTEGER`, `DECIMAL(18,2)`, `VARCHAR[]`. */
export interface Column {
  readonly name: string;
  readonly type: string;
}
