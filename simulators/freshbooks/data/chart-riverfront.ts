/** Chart of a design studio in Windsor, Ontario; the format is in chart.ts. */
export const RIVERFRONT_CHART = `
1000 | Cash | Cash & Bank | system
1000-1 | > Petty Cash | Cash & Bank | system
1001 | Libro chequing | Cash & Bank
1002 | Compte en dollars américains | Cash & Bank | about: Detroit clients pay here
1003 | Wise – PLN | Cash & Bank
1004 | PayPal | Cash & Bank
1200 | Accounts Receivable | Current Asset | system
1201 | Work in progress | Current Asset
1202 | Prepaid rent | Current Asset
1203 | HST receivable | Current Asset
1300 | Trademark « Rive » | Long-Term Asset
1500 | Property, Plant & Equipment | Property, Plant, and Equipment | system
1500-1 | > Workstations | Property, Plant, and Equipment
1500-2 | > Large-format printer | Property, Plant, and Equipment
1500-3 | > Letterpress (sold) | Property, Plant, and Equipment | archived
2000 | Accounts Payable | Current Liability | system
2001 | Visa | Current Liability
2002 | HST payable | Current Liability | system: Sales Tax
2003 | Client retainers | Current Liability
2004 | Loyalty points | Rewards Liability | type: liability
2500 | BDC loan | Long-Term Liability
3000 | Share capital | Equity
3001 | Retained Earnings | Equity | system
3002 | Dividends | Equity
4000 | Revenue | Income | system
4000-1 | > Brand identity | Income
4000-2 | > Web sites | Income
4000-3 | > Signage | Income
4001 | Ateliers d’été | Income | archived
5000 | Cost of Goods Sold | Cost of Goods Sold | system
5000-1 | > Printing | Cost of Goods Sold
5000-2 | > Freelancers | Cost of Goods Sold
6000 | Operating Expenses | Operating Expense | system
6000-1 | > Salaries | Operating Expense
6000-2 | > Rent – rue Ouellette | Operating Expense
6000-3 | > Software | Operating Expense
6000-4 | > Travel | Operating Expense
6000-5 | > Meals | Operating Expense
6000-6 | > Accounting | Operating Expense
6000-7 | > Insurance | Operating Expense
6000-8 | > Bank fees | Operating Expense
6000-9 | > Amortization | Operating Expense
`
