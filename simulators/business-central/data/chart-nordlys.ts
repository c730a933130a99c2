import type { Routine } from './routine.ts'

/** Chart of a Danish lamp maker that sells through the shop in Québec; the format is in chart.ts. */
export const NORDLYS_CHART = `
1000 | BALANCE | H | Assets | Assets
1010 | OMSÆTNINGSAKTIVER | B | Assets | Omsætningsaktiver
1020 | Kasse | P | Assets | Kassebeholdning
1030 | Danske Bank, drift | P | Assets | Kassebeholdning
1040 | Lunar, euro | P | Assets | Kassebeholdning
1050 | Gammel konto, Nordea | P | Assets | Kassebeholdning | blocked
1100 | Varedebitorer | P | Assets | Tilgodehavender
1200 | Færdigvarer, lamper | P | Assets | Lager
1210 | Råvarer, messing og glas | P | Assets | Lager
1300 | Forudbetalt husleje | P | Assets | Forudbetalte udgifter
1390 | Tilgodehavende moms | P | Assets | Omsætningsaktiver
1399 | Omsætningsaktiver i alt | E | Assets | Omsætningsaktiver
1500 | Drejebænke | P | Assets | Udstyr
1510 | Indretning af lejede lokaler | P | Assets | Anlæg
1590 | Akk. afskrivninger | P | Assets | Akkumuleret afskrivning
1700 | Udviklingsprojekter | P | Assets | Immaterielle anlæg
2000 | PASSIVER | B | Liabilities | Liabilities
2010 | Varekreditorer | P | Liabilities | Aktuelle passiver
2100 | Skyldig moms | P | Liabilities | Aktuelle passiver
2200 | Skyldig A-skat | P | Liabilities | Udestående lønudgifter
2210 | Feriepengeforpligtelse | P | Liabilities | Udestående lønudgifter
2500 | Lån, Vækstfonden | P | Liabilities | Langfristet gæld
2999 | Passiver i alt | E | Liabilities | Liabilities
3000 | Selskabskapital | P | Equity | Aktier
3100 | Overført resultat | P | Equity | Overført resultat
3200 | Udloddet udbytte | P | Equity | Uddelinger til aktionærer
4000 | RESULTATOPGØRELSE | H | Income | Income
4010 | Salg af lamper | P | Income | Indtægter, Produktsalg
4020 | Reparationer | P | Income | Indtægter, Service
4100 | Kunderabatter | P | Income | Salgsrabatter
4200 | Renteindtægter | P | Income | Indtægter, Renter
5000 | Vareforbrug | P | Cost of Goods Sold | Materialer
5010 | Værkstedsløn | P | Cost of Goods Sold | Arbejde
6000 | Løn, kontor | P | Expense | Lønudgifter
6010 | ATP og forsikring | P | Expense | Personaleudgifter
6100 | Husleje, Refshaleøen | P | Expense | Lejeudgifter
6110 | El og fjernvarme | P | Expense | Forsyningsudgifter
6200 | Messer og annoncer | P | Expense | Reklameudgifter
6300 | Bankgebyrer | P | Expense | Gebyrudgifter
6310 | Renter | P | Expense | Renteudgifter
6400 | Forsikringer | P | Expense | Forsikringsudgifter
6500 | Rejser | P | Expense | Rejseomkostninger
6600 | Tab på debitorer | P | Expense | Tab på debitorer
6700 | Valutakursreguleringer | P | Expense | Andre indtægter og udgifter
6800 | Selskabsskat | P | Expense | Skatteudgifter
9999 | ÅRETS RESULTAT | T | Expense | Expense
`

export const NORDLYS_ROUTINES: readonly Routine[] = [
  {
    document: 'FAK',
    type: 'Invoice',
    text: 'Érable en ligne, lamper',
    lines: [
      { number: '1100', side: 'debit' },
      { number: '4010', side: 'credit' },
    ],
  },
  {
    document: 'LØN',
    type: '_x0020_',
    text: 'Løn',
    lines: [
      { number: '6000', side: 'debit' },
      { number: '2200', side: 'credit' },
      { number: '1030', side: 'credit' },
    ],
  },
]
