export const CSV = 'id,region,amount\n1,north,10\n2,south,20\n3,north,5\n4,west,\n';

export const clean = {
  name: 'clean',
  config: {
    // As they are these would be replaced in a manifest.
    query: "SELECT id, region, amount, '$$(HOME) {{workflow.name}}' AS note FROM sales WHERE amount IS NOT NULL",
    inputDatasets: ['sales'],
    outputDatasets: ['clean sales'],
  },
};
export const sound = {
  name: 'sound',
  config: {
    query: 'SELECT * FROM "clean sales" WHERE amount < 0',
    inputDatasets: ['clean sales'],
    jobType: 'CHECK' as const,
  },
};
export const sums = {
  name: 'sums',
  config: {
    query: 'SELECT region, sum(amount)::INTEGER AS total FROM "clean sales" GROUP BY region ORDER BY region',
    inputDatasets: ['clean sales'],
    outputDatasets: ['Totals'],
  },
};
export const endless = {
  name: 'endless',
  config: {
    query: 'SELECT sum(a.range * b.range) AS n FROM range(10000000) a, range(10000000) b',
    outputDatasets: ['never'],
    jobType: 'INGEST' as const,
  },
};
