/** Categories that FreeAgent gives to every company; the format is in chart.ts. */
export const BASE_CHART = `
income | 001 | Sales
income | 002 | Consultancy Fees
income | 003 | Commission Income
general | 051 | Interest Received
cost_of_sales | 101 | Materials
cost_of_sales | 102 | Commission Paid
cost_of_sales | 103 | Subcontractors
admin_expenses | 200 | Wages
admin_expenses | 210 | Employer NICs
admin_expenses | 240 | Rent
admin_expenses | 245 | Business Rates
admin_expenses | 250 | Insurance
admin_expenses | 260 | Telephone & Internet
admin_expenses | 270 | Office Costs
admin_expenses | 285 | Accommodation and Meals
admin_expenses | 290 | Travel
admin_expenses | 300 | Advertising and Promotion
admin_expenses | 310 | Accountancy Fees
admin_expenses | 320 | Legal and Professional Fees
admin_expenses | 350 | Bank/Finance Charges
admin_expenses | 360 | Interest Payable
admin_expenses | 370 | Bad Debts
admin_expenses | 380 | Depreciation Charge
general | 601-1 | Capital Asset Brought Forward: Machinery
general | 602-1 | Capital Asset Purchase: Machinery
general | 602-2 | Capital Asset Purchase: Computer Equipment
general | 604-1 | Capital Asset Disposal: Machinery
general | 605-1 | Capital Asset Depreciation Brought Forward: Machinery
general | 606-1 | Capital Asset Depreciation: Machinery
general | 609-1 | Stock
general | 681 | Trade Debtors
general | 682 | Prepayments
general | 792-1 | Hire Purchase Current Liability
general | 793-1 | Hire Purchase Liability > 1 year
general | 796 | Trade Creditors
general | 814 | PAYE/NI
general | 817 | VAT
general | 818 | VAT Charged
general | 819 | VAT Reclaimed
general | 820 | Corporation Tax
general | 900-1 | Capital Account
general | 905-1 | Expense Account
general | 907-1 | Director Loan Account
general | 910-1 | Drawings
general | 921 | Share Capital
general | 950 | Profit and Loss Account
general | 999 | Suspense Account
`
