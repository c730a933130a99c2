import type { Routine } from './routine.ts'

/** Chart of a furniture maker with an online shop in Montréal; the format is in chart.ts. */
export const ATELIER_CHART = `
1 | Actif | . | Asset
>11 | Actif à court terme | . | group
>>110 | Encaisse | Cash | group
>>>1101 | Petite caisse | Cash
>>>1102 | Caisse du Salon des métiers d’art | Cash | disabled
>>111 | Comptes bancaires | Bank | group
>>>1111 | Desjardins – exploitation | Bank
>>>1112 | Desjardins – compte en USD | Bank | [USD]
>>>1113 | Compte en euros – quincaillerie allemande | Bank | [EUR]
>>>1114 | Compte de séquestre Santiago | Bank | [CLF]
>>>1115 | Stripe – fonds en transit | Bank
>>>1119 | Ancien compte Laurentienne | Bank | disabled
>>112 | Comptes clients | . | group
>>>1121 | Débiteurs | Receivable
>>>1122 | Débiteurs – USD | Receivable | [USD]
>>>1123 | Créances douteuses – provision | .
>>113 | Stocks | Stock | group
>>>1131 | Érable et noyer bruts | Stock
>>>1132 | Produits finis | Stock
>>>1133 | Marchandises en consignation | Stock
>>114 | Taxes à recouvrer | . | group
>>>1141 | TPS à recouvrer (CTI) | Tax
>>>1142 | TVQ à recouvrer (RTI) | Tax
>>115 | Prêts et avances | . | group
>>>1151 | Avances aux employés | Current Asset
>>>1152 | Acomptes versés aux fournisseurs | Payable
>>>1153 | Frais payés d’avance | Current Asset
>>>1154 | Portefeuille de jetons | Crypto Wallet
>12 | Immobilisations | . | group
>>1201 | Équipement d’atelier | Fixed Asset
>>1202 | Dégauchisseuse Felder | Fixed Asset
>>1203 | Camion de livraison | Fixed Asset
>>1204 | Améliorations locatives | Fixed Asset
>>1205 | Site web en développement | Capital Work in Progress
>>1290 | Amortissement cumulé | Accumulated Depreciation
>13 | Placements | . | group
>>1301 | Parts sociales – coopérative forestière | .
>19 | Comptes temporaires | . | group
>>1901 | Ouverture temporaire | Temporary
2 | Passif | . | Liability
>21 | Passif à court terme | . | group
>>211 | Comptes fournisseurs | . | group
>>>2111 | Créanciers | Payable
>>>2112 | Créanciers – EUR | Payable | [EUR]
>>212 | Marchandises reçues non facturées | . | group
>>>2121 | Stock reçu non facturé | Stock Received But Not Billed
>>>2122 | Immobilisations reçues non facturées | Asset Received But Not Billed
>>>2123 | Services reçus non facturés | Service Received But Not Billed
>>213 | Taxes et droits | Tax | group
>>>2131 | TPS à payer | Tax
>>>2132 | TVQ à payer | Tax
>>>2133 | Retenues à la source | Current Liability
>>214 | Autres | . | group
>>>2141 | Visa Desjardins Affaires | Bank
>>>2142 | Acomptes reçus de clients | Receivable
>>>2143 | Cartes-cadeaux | Current Liability
>>>2144 | Marge de crédit | Current Liability
>22 | Passif à long terme | . | group
>>2201 | Prêt BDC | Liability
>>2202 | Dû à un actionnaire | Liability
>>2203 | Ancien prêt étudiant-entrepreneur | Liability | disabled
3 | Capitaux propres | . | Equity
>3001 | Capital-actions | Equity
>3002 | Bénéfices non répartis | Equity
>3003 | Dividendes versés | Equity
>3004 | Solde d’ouverture | .
4 | Produits | . | Income
>41 | Produits directs | . | group
>>4101 | Ventes – meubles | Income Account
>>4102 | Ventes – boutique en ligne | Direct Income
>>4103 | Réparations et restauration | Direct Income
>42 | Produits indirects | . | group
>>4201 | Subvention Emplois d’été Canada | Indirect Income
>>4202 | Intérêts gagnés | Indirect Income
>>4203 | Gain de change | .
5 | Charges | . | Expense
>51 | Charges directes | . | group
>>5101 | Coût des marchandises vendues | Cost of Goods Sold
>>5102 | Ajustement de stock | Stock Adjustment
>>5103 | Frais inclus dans l’évaluation | Expenses Included In Valuation
>>5104 | Frais inclus dans les immobilisations | Expenses Included In Asset Valuation
>>5105 | Sous-traitance – vernissage | Direct Expense
>52 | Charges indirectes | . | group
>>5201 | Salaires | Indirect Expense
>>5202 | Loyer de l’atelier | Expense Account
>>5203 | Électricité et chauffage | Expense Account
>>5204 | Fret et livraison | Chargeable
>>5205 | Publicité et réseaux sociaux | Indirect Expense
>>5206 | Honoraires comptables | Indirect Expense
>>5207 | Frais Stripe et PayPal | Indirect Expense
>>5208 | Amortissement | Depreciation
>>5209 | Arrondis | Round Off
>>5210 | Taxes non récupérables | Tax
>>5211 | Perte de change | .
>>5290 | Frais de foire 2019 | Indirect Expense | disabled
`

export const ATELIER_ROUTINES: readonly Routine[] = [
  {
    voucherType: 'Sales Invoice',
    prefix: 'ACC-SINV',
    remarks: 'Table en noyer, livrée',
    lines: [
      { account: 'Débiteurs', side: 'debit', party: ['Customer', 'Café Ébène inc.'] },
      { account: 'TPS à payer', side: 'credit' },
      { account: 'TVQ à payer', side: 'credit' },
      { account: 'Ventes – meubles', side: 'credit' },
    ],
  },
  {
    voucherType: 'Journal Entry',
    prefix: 'ACC-JV',
    remarks: 'Paie du mois',
    lines: [
      { account: 'Salaires', side: 'debit' },
      { account: 'Retenues à la source', side: 'credit' },
      { account: 'Desjardins – exploitation', side: 'credit' },
    ],
  },
  {
    voucherType: 'Purchase Invoice',
    prefix: 'ACC-PINV',
    remarks: 'Bois d’érable',
    lines: [
      { account: 'Créanciers', side: 'credit', party: ['Supplier', 'Scierie Saint-Côme'] },
      { account: 'TPS à recouvrer (CTI)', side: 'debit' },
      { account: 'Érable et noyer bruts', side: 'debit' },
    ],
  },
  {
    voucherType: 'Journal Entry',
    prefix: 'ACC-JV',
    remarks: 'Amortissement mensuel',
    lines: [
      { account: 'Amortissement', side: 'debit' },
      { account: 'Amortissement cumulé', side: 'credit' },
    ],
  },
]
