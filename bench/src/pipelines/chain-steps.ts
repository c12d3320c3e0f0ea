/** Nine steps from sales to a report, three of which pass on as many rows as there are: the same text for DuckDB and for the platform. */
export interface ChainStep {
  /** Also of what it makes. */
  readonly name: string;
  readonly reads: readonly string[];
  readonly query: string;
}

export const REPORT = 'report';

export const chainSteps: readonly ChainStep[] = [
  {
    name: 'cleaned',
    reads: ['sales'],
    query: `SELECT id, trim(region) AS region, customer, amount, sold_on FROM sales WHERE amount >= 1`,
  },
  {
    name: 'dated',
    reads: ['cleaned'],
    query: `SELECT *, date_trunc('month', sold_on)::DATE AS month, isodow(sold_on) AS weekday, (amount * 0.19)::DECIMAL(12, 2) AS tax
      FROM cleaned`,
  },
  {
    name: 'customers',
    reads: ['dated'],
    query: `SELECT customer, count(*) AS sales, sum(amount) AS revenue, max(sold_on) AS last_sale FROM dated GROUP BY customer`,
  },
  {
    name: 'ranked',
    reads: ['customers'],
    query: `SELECT *, ntile(10) OVER (ORDER BY revenue DESC, customer) AS segment FROM customers`,
  },
  {
    name: 'segmented',
    reads: ['dated', 'ranked'],
    query: `SELECT dated.*, ranked.segment FROM dated JOIN ranked USING (customer)`,
  },
  {
    name: 'monthly',
    reads: ['segmented'],
    query: `SELECT region, segment, month, count(*) AS sales, sum(amount) AS revenue, sum(tax) AS tax FROM segmented GROUP BY ALL`,
  },
  {
    name: 'growth',
    reads: ['monthly'],
    query: `SELECT *, revenue - lag(revenue) OVER (PARTITION BY region, segment ORDER BY month) AS change FROM monthly`,
  },
  {
    name: 'largest',
    reads: ['segmented'],
    query: `SELECT region, segment, month, max(amount) AS largest, count(DISTINCT customer) AS customers FROM segmented GROUP BY ALL`,
  },
  {
    name: REPORT,
    reads: ['growth', 'largest'],
    query: `SELECT growth.*, largest, customers FROM growth JOIN largest USING (region, segment, month) ORDER BY region, segment, month`,
  },
];
