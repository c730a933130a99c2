import type { Routine } from './routine.ts'

/** Chart of an online shop in Vancouver; the format is in chart.ts. `crypto_asset` is an undocumented value. */
export const LANTERN_CHART = `
1000 | Petty Cash | cash | system
1005 | Undeposited Funds | cash | system
1010 | Vancity Chequing | bank
1011 | > Shopify payouts clearing | bank
1012 | > Stripe balance | bank
1020 | Wise – US dollars | bank | about: Pays the suppliers in Oaxaca and Ahmedabad
1021 | Wise – Mexican pesos | bank
1030 | PayPal | bank
1090 | Closed TD account | bank | inactive
1100 | Accounts Receivable | accounts_receivable | system
1105 | Wholesale receivables | accounts_receivable
1200 | Inventory Asset | stock | system
1201 | > Textiles | stock
1202 | > Lanterns & candles | stock
1203 | > Returned goods to inspect | stock
1210 | Goods in transit | other_current_asset
1300 | Prepaid Expenses | other_current_asset
1310 | Employee Advance | other_current_asset | system
1320 | Advance Tax | other_current_asset | system
1330 | GST/HST paid on purchases | other_current_asset
1340 | Deposits with weavers | other_current_asset
1350 | Unbilled wholesale orders | contract_asset
1500 | Furniture and Equipment | fixed_asset
1501 | > Accumulated depreciation | fixed_asset
1510 | Packing machine | fixed_asset
1520 | Warehouse lease | right_to_use_asset
1600 | Website & brand | intangible_asset
1610 | Term deposit, 3 years | financial_asset
1620 | Claim against carrier | contingent_asset
1630 | Loyalty tokens held | crypto_asset | about: Opened by an add-on of the shop
1700 | Rent deposit | other_asset
2000 | Accounts Payable | accounts_payable | system
2100 | Visa Vancity | credit_card
2101 | > Card of the studio | credit_card
2110 | Brex (closed) | credit_card | inactive
2200 | Tax Payable | other_current_liability | system
2210 | PST payable, British Columbia | other_current_liability
2220 | Unearned Revenue | other_current_liability | system
2230 | Gift cards outstanding | contract_liability
2240 | Refunds owed to customers | refund_liability
2250 | Wages and vacation owed | employee_benefit_liability
2260 | Opening Balance Adjustments | other_current_liability | system
2300 | Shopify Capital advance | loans_and_borrowing
2310 | Warehouse lease obligation | lease_liability
2320 | Futurpreneur loan | long_term_liability
2330 | Dimension Adjustments | other_liability | system
2340 | Warranty reserve | contingent_liability
2350 | Interest rate swap | financial_liability
3000 | Owner’s Equity | equity | system
3010 | Drawings | equity | system
3020 | Retained Earnings | equity | system
3030 | Opening Balance Offset | equity | system
3040 | Currency translation | other_comprehensive_income
4000 | Sales | income | system
4010 | > Textiles | income
4020 | > Lanterns & candles | income
4030 | Shipping Charge | income | system
4040 | Discount | income | system
4090 | Etsy sales | income | inactive
4100 | Interest Income | finance_income
4110 | Affiliate commissions | other_income
5000 | Cost of Goods Sold | cost_of_goods_sold | system
5010 | Freight and customs | cost_of_goods_sold
5020 | Candle making | manufacturing_expense
6000 | Salaries and Employee Wages | employee_benefit_expense | system
6010 | Studio & warehouse rent | lease_expense
6100 | Advertising: Meta, Google, TikTok | expense
6110 | Payment processing fees | expense
6120 | Packaging – “Noël” boxes | expense
6130 | Software subscriptions | expense
6140 | Travel Expense | expense | system
6150 | Meals and Entertainment | expense | system
6160 | Fotografía de productos | expense
6190 | Uncategorized | expense | system
6200 | Depreciation Expense | depreciation_expense | system
6210 | Write-down of old stock | impairment_expense
6300 | Bank Fees and Charges | finance_expense | system
6310 | Exchange Gain or Loss | other_expense | system
6320 | Bad Debt | other_expense | system
6330 | Income tax | tax_expense
6340 | Trade fair 2022 | expense | inactive
`

export const LANTERN_ROUTINES: readonly Routine[] = [
  {
    note: 'Depreciation of the month',
    lines: [
      { account: 'Depreciation Expense', share: 1 },
      { account: 'Accumulated depreciation', share: -1 },
    ],
  },
  {
    note: 'Shopify payouts of the month',
    lines: [
      { account: 'Shopify payouts clearing', share: 0.971 },
      { account: 'Payment processing fees', share: 0.029 },
      { account: 'Sales', share: -1 },
    ],
  },
  {
    note: 'Stock sold',
    lines: [
      { account: 'Cost of Goods Sold', share: 1 },
      { account: 'Inventory Asset', share: -1 },
    ],
  },
  {
    note: 'Wholesale to Galería Nopal',
    currency: 'USD',
    customer: 'Galería Nopal',
    lines: [
      { account: 'Wholesale receivables', share: 1 },
      { account: 'Etsy sales', share: -1 },
    ],
  },
]
