import type { Routine } from './routine.ts'

/** Chart of a dental practice in Calgary; the format is in chart.ts. */
export const BOW_VALLEY_CHART = `
1010 | ATB Business Chequing | BANK | report:ASS.CUR.CAS
1015 | ATB Payroll | BANK
1020 | RBC US Dollar Account | BANK | USD
1025 | Trust – patient deposits | BANK
1030 | PayPal | BANK | PAYPAL
1035 | Wise balance for Straumann orders | BANK | CHF
1090 | Old Scotiabank chequing | BANK | archived
2410 | RBC Visa Business | BANK | CREDITCARD
2415 | Amex Dr. Haddad | BANK | CREDITCARD
2419 | Costco Mastercard | BANK | CREDITCARD, archived
1100 | Accounts Receivable | CURRENT | system:DEBTORS, report:ASS.CUR.REC.TRA
1110 | Insurance claims pending | CURRENT | about: Alberta Blue Cross, Sun Life and the like
1115 | Canadian Dental Care Plan receivable | CURRENT | about: Federal plan, paid within 14 days
1120 | Allowance for doubtful accounts | CURRENT
1130 | Loans to associates | CURRENT
1140 | GST on purchases to be claimed | CURRENT | report:ASS.CUR.REC.OTH
1150 | Deposits with suppliers | CURRENT
1200 | Dental supplies on hand | INVENTORY
1210 | Implants and abutments | INVENTORY
1220 | Retail: brushes and whitening kits | INVENTORY
1300 | Prepaid insurance | PREPAYMENT
1310 | Prepaid software subscriptions | PREPAYMENT
1320 | Prepaid rent, 17 Avenue SW | PREPAYMENT
1500 | Dental chairs and units | FIXED | report:ASS.NCA.FIX.OWN.PLA
1501 | Accumulated depreciation, chairs | FIXED | report:ASS.NCA.FIX.OWN.PLA.ACC
1510 | CBCT scanner | FIXED | report:ASS.NCA.FIX.OWN.PLA
1511 | Accumulated depreciation, CBCT | FIXED | report:ASS.NCA.FIX.OWN.PLA.ACC
1520 | Leasehold improvements | FIXED
1521 | Accumulated amortization, leasehold | FIXED | report:ASS.NCA.FIX.OWN.LEA.ACC
1530 | Computers and tablets | FIXED
1531 | Accumulated depreciation, computers | FIXED | report:ASS.NCA.FIX.OWN.COM.ACC
1540 | Sterilizer | FIXED | archived
1600 | Goodwill – practice purchase 2019 | NONCURRENT
1610 | Lease deposit | NONCURRENT
1620 | Cash value of life insurance | NONCURRENT
2000 | Accounts Payable | CURRLIAB | system:CREDITORS, report:LIA.CUR.PAY.TRA
2100 | GST | CURRLIAB | system:GST, report:LIA.CUR.TAX.VAT
2105 | GST on imports | CURRLIAB | system:GSTONIMPORTS
2110 | Corporate income tax payable | CURRLIAB | report:LIA.CUR.TAX.INC
2200 | Wages payable | CURRLIAB | system:WAGEPAYABLES
2210 | CPP, EI and tax withheld | CURRLIAB
2215 | Vacation pay owed | CURRLIAB
2220 | Unpaid expense claims | CURRLIAB | system:UNPAIDEXPCLM
2230 | Patient credits and prepayments | CURRLIAB
2240 | Gift cards sold | CURRLIAB
2250 | ATB operating line | CURRLIAB
2260 | Current part of practice loan | CURRLIAB
2290 | Rounding | CURRLIAB | system:ROUNDING
2295 | Historical adjustment | CURRLIAB | system:HISTORICAL
2299 | Tracking transfers | CURRLIAB | system:TRACKINGTRANSFERS
2500 | Practice purchase loan, ATB | TERMLIAB | report:LIA.NCL.LOA
2510 | Henry Schein equipment lease | TERMLIAB
2520 | Due to shareholder – Dr. Haddad | TERMLIAB
2600 | Deferred lease inducement | LIABILITY
3000 | Common shares | EQUITY
3100 | Dividends – Haddad Family Trust | EQUITY
3200 | Retained earnings | EQUITY | system:RETAINEDEARNINGS, report:EQU.RET
3900 | Opening balances | EQUITY | archived
4000 | General dentistry | REVENUE | report:REV.TRA.SER
4010 | Orthodontics | REVENUE | report:REV.TRA.SER
4020 | Implants and surgery | REVENUE | report:REV.TRA.SER
4030 | Hygiene | REVENUE | report:REV.TRA.SER
4040 | Whitening – “Blanchiment” package | SALES
4050 | Retail products | SALES | report:REV.TRA.GOO
4090 | Courtesy adjustments | REVENUE
4500 | Interest income | OTHERINCOME | report:REV.INV.INT
4510 | Chair rental to associates | OTHERINCOME
4520 | COVID subsidy | OTHERINCOME | archived
5000 | Lab fees | DIRECTCOSTS
5010 | Dental supplies used | DIRECTCOSTS
5020 | Associates’ share of fees | DIRECTCOSTS
5030 | Hygienists’ wages | DIRECTCOSTS
6000 | Reception and office wages | EXPENSE
6010 | Employer CPP and EI | EXPENSE
6100 | Rent, 17 Avenue SW | OVERHEADS
6110 | Electricity and gas – ENMAX | OVERHEADS
6120 | Telephone and internet | OVERHEADS
6200 | Advertising and website | EXPENSE
6210 | Alberta Dental Association fees | EXPENSE
6220 | Malpractice insurance | EXPENSE
6230 | Accounting and legal | EXPENSE
6240 | Continuing education – São Paulo congress | EXPENSE
6250 | Meals and entertainment | EXPENSE
6260 | Bank and card fees | EXPENSE | about: Moneris and Amex merchant fees
6270 | Interest on practice loan | EXPENSE
6280 | Bad debts | EXPENSE
6290 | Uncategorized | EXPENSE | archived
6300 | Bank revaluations | EXPENSE | system:BANKCURRENCYGAIN, report:EXP.FOR.BAN
6310 | Realised currency gains | EXPENSE | system:REALISEDCURRENCYGAIN, report:EXP.FOR.RGL
6320 | Unrealised currency gains | EXPENSE | system:UNREALISEDCURRENCYGAIN, report:EXP.FOR.UGL
6400 | Depreciation of equipment | DEPRECIATN
6410 | Amortization of leasehold | DEPRECIATN
6900 | Income tax | EXPENSE
`

export const BOW_VALLEY_ROUTINES: readonly Routine[] = [
  {
    source: 'ACCREC',
    note: 'Insurer batch',
    lines: [
      { account: 'Accounts Receivable', share: 1 },
      { account: 'General dentistry', share: -0.6 },
      { account: 'Hygiene', share: -0.4 },
    ],
  },
  {
    source: 'ACCRECPAYMENT',
    note: 'Alberta Blue Cross deposit',
    lines: [
      { account: 'ATB Business Chequing', share: 1 },
      { account: 'Accounts Receivable', share: -1 },
    ],
  },
  {
    source: 'ACCPAY',
    note: 'Henry Schein, supplies',
    lines: [
      { account: 'Dental supplies on hand', share: 0.95 },
      { account: 'GST', share: 0.05 },
      { account: 'Accounts Payable', share: -1 },
    ],
  },
  {
    source: 'CASHPAID',
    note: 'Rent, first of the month',
    lines: [
      { account: 'Rent, 17 Avenue SW', share: 1 },
      { account: 'ATB Business Chequing', share: -1 },
    ],
  },
  {
    source: 'MANJOURNAL',
    note: 'Monthly depreciation',
    lines: [
      { account: 'Depreciation of equipment', share: 1 },
      { account: 'Accumulated depreciation, chairs', share: -0.7 },
      { account: 'Accumulated depreciation, CBCT', share: -0.3 },
    ],
  },
  {
    source: 'MANJOURNAL',
    note: 'Insurance used this month',
    lines: [
      { account: 'Malpractice insurance', share: 1 },
      { account: 'Prepaid insurance', share: -1 },
    ],
  },
  {
    source: 'MANJOURNAL',
    note: 'Payroll of the month',
    lines: [
      { account: 'Reception and office wages', share: 0.55 },
      { account: 'Hygienists’ wages', share: 0.45 },
      { account: 'CPP, EI and tax withheld', share: -0.28 },
      { account: 'ATB Payroll', share: -0.72 },
    ],
  },
]
