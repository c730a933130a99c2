/** Chart of a remodeling contractor in Cleveland, Ohio; the format is in chart.ts. */
export const CUYAHOGA_CHART = `
1000 | Cash | Cash & Bank | system
1000-1 | > Petty Cash | Cash & Bank | system
1001 | KeyBank Operating Checking | Cash & Bank | about: Draws, vendor checks and card settlements
1001-1 | > Payroll sweep | Cash & Bank
1001-2 | > Job deposits – escrow | Cash & Bank
1002 | KeyBank Reserve Savings | Cash & Bank
1003 | Canadian supplier account (CAD) | Cash & Bank | about: For Séguin Lumber, Windsor ON
1004 | Old Fifth Third checking | Cash & Bank | archived
1005 | Stablecoin wallet | Digital Asset | type: asset, about: Opened by the payments add-on
1200 | Accounts Receivable | Current Asset | system
1201 | Customer Deposits | Current Asset
1202 | Retainage receivable | Current Asset
1203 | Lumber and millwork inventory | Current Asset
1204 | Prepaid insurance | Current Asset
1205 | Employee advances | Current Asset
1206 | Costs in excess of billings | Current Asset
1207 | Loan to officer | Current Asset | archived
1300 | Security deposits | Long-Term Asset
1301 | Certificate of deposit, 36 months | Long-Term Asset
1302 | Contractor’s license bond | Long-Term Asset
1500 | Property, Plant & Equipment | Property, Plant, and Equipment | system
1500-1 | > Trucks | Property, Plant, and Equipment
1500-2 | > 2024 Ram 3500 | Property, Plant, and Equipment
1500-3 | > Table saws and planers | Property, Plant, and Equipment
1500-4 | > Scaffolding | Property, Plant, and Equipment
1500-5 | > Computers | Property, Plant, and Equipment
1500-6 | > Furniture | Property, Plant, and Equipment
1500-9 | > Accumulated depreciation | Property, Plant, and Equipment
1501 | Shop building – Lorain Avenue | Property, Plant, and Equipment
1502 | Land | Property, Plant, and Equipment
1503 | Skid steer (sold 2023) | Property, Plant, and Equipment | archived
2000 | Accounts Payable | Current Liability | system
2001 | Home Depot Commercial card | Current Liability
2002 | Chase Ink Business | Current Liability
2003 | Sales Tax – Cuyahoga County 8 % | Current Liability | system: Sales Tax
2004 | Customer Credit | Current Liability | system
2005 | Payroll taxes payable | Current Liability
2006 | Workers’ compensation payable (BWC) | Current Liability
2007 | Billings in excess of costs | Current Liability
2008 | KeyBank line of credit | Current Liability
2009 | Gift certificates | Current Liability | archived
2010 | Warranty reserve | Contract Liability | type: liability, about: Sub type of the job-costing pilot
2500 | Loans & Line of Credit | Long-Term Liability | system
2500-1 | > Truck note – Ram 3500 | Long-Term Liability
2500-2 | > SBA loan 7(a) | Long-Term Liability
2501 | Note to José Martínez | Long-Term Liability
3000 | Owner’s Equity | Equity | system: Owners Equity
3000-1 | > Owner investment | Equity
3000-2 | > Owner draws | Equity
3001 | Retained Earnings | Equity | system
3002 | Opening balance equity | Equity
4000 | Revenue | Income | system
4000-1 | > Kitchens and baths | Income
4000-2 | > Additions | Income
4000-3 | > Historic façade restoration | Income
4001 | Design fees | Income
4002 | Change orders | Income
4003 | Discounts given | Income
4004 | Interest earned | Income
4005 | Snow removal (ended) | Income | archived
5000 | Cost of Goods Sold | Cost of Goods Sold | system
5000-1 | > Lumber and sheet goods | Cost of Goods Sold
5000-2 | > Fixtures and tile | Cost of Goods Sold
5000-3 | > Subcontractors | Cost of Goods Sold
5000-4 | > Permits and inspections | Cost of Goods Sold
5000-5 | > Dumpsters and hauling | Cost of Goods Sold
5000-6 | > Direct labor | Cost of Goods Sold
6000 | Operating Expenses | Operating Expense | system
6000-1 | > Advertising | Operating Expense
6000-2 | > Bank and card fees | Operating Expense
6000-3 | > Car & Truck Expenses | Operating Expense | about: Fuel, tolls, repairs
6000-4 | > Crew lunches – Café Société | Operating Expense
6000-5 | > Continuing education | Operating Expense
6000-6 | > Depreciation | Operating Expense
6000-7 | > Insurance – general liability | Operating Expense
6000-8 | > Interest paid | Operating Expense
6000-9 | > Legal and accounting | Operating Expense
6000-10 | > Office supplies | Operating Expense
6000-11 | > Payroll – office | Operating Expense
6000-12 | > Rent | Operating Expense
6000-13 | > Software – estimating | Operating Expense
6000-14 | > Taxes and licenses | Operating Expense
6000-15 | > Telephone | Operating Expense
6000-16 | > Utilities | Operating Expense
6000-17 | > Uncategorized | Operating Expense | archived
`
