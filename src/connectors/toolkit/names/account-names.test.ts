import { expect, it } from 'vitest'
import type { AccountType } from '../../../model/records/accounting.ts'
import { findByName, refineByName } from './account-names.ts'

/** Names by type and what they say: a sub type, perhaps after another type and a colon; nothing for an empty text. */
const NAMES: readonly [types: AccountType[], told: string, names: string][] = [
  [
    ['EXPENSE', 'OTHER_EXPENSE'],
    'PAYROLL',
    'Employment Insurance|Assurance-emploi|Workers’ Comp|Workers Comp|Payroll tax|Employer CPP|Employer EI|Payroll contribution|Charges sociales|Avantages sociaux|Employee benefit|Employee benefits|Wage|Wages|Salary|Salaries|Payroll|Salaire|Salaires|Paie|Superannuation',
  ],
  [
    ['EXPENSE'],
    '',
    'Interest on late tax|Tax penalties|Accounting software|Legal software|Logiciel comptable|Travel and meals|Rent and insurance|Miscellaneous|Parental|Repasser',
  ],
  [['EXPENSE'], 'DEPRECIATION:', 'Depreciation|Amortization|Amortisation|Amortissement|Amortissements'],
  [['EXPENSE'], 'RENT', 'Rent|Rents|Loyer|Loyers'],
  [['EXPENSE'], 'INSURANCE', 'Insurance|Assurance|Assurances'],
  [
    ['EXPENSE'],
    'PROFESSIONAL_FEES',
    'Legal|Lawyer|Lawyers|Attorney|Attorneys|Accounting|Accountant|Accountants|Accountancy|Audit|Bookkeeping|Consulting|Professional fees|Honoraires|Juridique|Juridiques|Comptabilité|Tenue de livres|Tenue de comptabilité|Frais comptables|Frais de comptable|Service comptable|Services de comptables',
  ],
  [
    ['EXPENSE'],
    'TRAVEL',
    'Travel|Traveling|Travelling|Accommodation|Accommodations|Hotel|Hotels|Hébergement|Déplacement|Déplacements|Voyage|Voyages',
  ],
  [['EXPENSE'], 'MEALS', 'Meal|Meals|Repas'],
  [['EXPENSE'], 'MARKETING', 'Advertising|Advertisement|Marketing|Publicité'],
  [['EXPENSE'], 'UTILITIES', 'Utilities|Electricity|Hydro|Light, power|Heating|Électricité|Chauffage'],
  [
    ['EXPENSE'],
    'BANK_FEES',
    'Bank fees|Bank fee|Bank service charges|Bank charge|Merchant fees|Card fee|PayPal fees|Stripe processing fee|Frais de banque|Frais bancaires|Frais bancaire',
  ],
  [['EXPENSE'], 'INTEREST_EXPENSE', 'Interest|Intérêt|Intérêts'],
  [
    ['EXPENSE'],
    'TAX_EXPENSE',
    'Income tax|Corporate tax|Corporation tax|Property tax|Impôt sur le revenu|Impôts sur les bénéfices|Taxe foncière|Taxes foncières',
  ],
  [['EXPENSE'], 'BAD_DEBT', 'Bad debt|Bad debts|Créance douteuse|Créances irrécouvrables|Créances douteuses|Mauvaises créances'],
  [
    ['EXPENSE', 'INCOME', 'OTHER_INCOME'],
    'FX_GAIN_LOSS',
    'Currency gain|Currency gains|Exchange loss|Exchange losses|Currency difference|Foreign exchange|Gain de change|Gains sur change|Perte de change|Pertes de change|Écart de change|Écarts de change|Différence de change|Différences de change',
  ],
  [['INCOME', 'OTHER_INCOME'], '', 'Subsidy|Subsidies|Subside|Subsides|Subvention|Subventions|Grant|Grants|Other|Grants of interest'],
  [
    ['INCOME'],
    'DISCOUNTS',
    'Sales discount|Discount given|Discounts allowed|Escompte accordé|Escomptes sur ventes|Rabais sur les ventes|Rabais accordés',
  ],
  [['INCOME'], 'OTHER_INCOME:INTEREST_INCOME', 'Interest|Intérêts|Interest earned'],
  [['OTHER_INCOME'], 'INTEREST_INCOME', 'Interest|Intérêts|Interest earned'],
  [
    ['INCOME'],
    'SALES',
    'Sales|Product sales|Retail sales|Online sales|Sales revenue|Product sales revenue|Sales of product|Sales of products|Ventes|Ventes de produits|Ventes de marchandises',
  ],
  [['INCOME'], '', 'Sales tax refund|Autres ventes|Car sales|Ventes et prestations de services|Prestations de services en cours'],
  [
    ['INCOME'],
    'SERVICES',
    'Service|Services|Services revenue|Service income|Service fee|Service fees|Consulting income|Fees earned|Prestation de service|Prestations de services',
  ],
  [
    ['OTHER_CURRENT_ASSET'],
    'ALLOWANCE_FOR_BAD_DEBT',
    'Allowance for doubtful accounts|Allowance for bad debts|Provision pour créances douteuses|Provision pour mauvaises créances',
  ],
  [
    ['OTHER_CURRENT_ASSET'],
    'PREPAYMENT:',
    'Prepaid|Prepaid insurance|Prepayment|Prepayments|Payé d’avance|Payées d’avance|Frais payés d’avance',
  ],
  [['OTHER_CURRENT_ASSET'], 'INVENTORY:', 'Inventory|Stock|Inventory asset|Stock on hand|Stocks|Inventaire|Inventaires'],
  [['OTHER_CURRENT_ASSET'], '', 'Stock options|Common stock|Inventory reserve|Autres stocks'],
  [['OTHER_CURRENT_ASSET'], 'UNDEPOSITED_FUNDS', 'Undeposited funds|Fonds non déposés'],
  [
    ['OTHER_CURRENT_ASSET'],
    'EMPLOYEE_ADVANCE',
    'Employee advance|Staff cash advances|Employee cash advance|Avance aux employés|Avances aux employés',
  ],
  [['OTHER_CURRENT_ASSET'], 'LOAN_RECEIVABLE', 'Loan to B|Loans receivable|Loan receivable|Prêt au client|Prêts aux tiers|Prêts à B'],
  [['OTHER_CURRENT_ASSET'], 'SALES_TAX', 'GST|HST|QST|PST|RST|VAT|TPS|TVQ|TVH|TVA|Sales tax|Sales taxes|Taxe de vente|Taxes de vente'],
  [
    ['FIXED_ASSET', 'OTHER_ASSET'],
    'ACCUMULATED_DEPRECIATION',
    'Accumulated depreciation|Accum. amortization|Accum amortisation|Amortissement cumulé|Amortissements cumulés',
  ],
  [['FIXED_ASSET'], 'LAND', 'Land|Land at cost|Terrain|Terrains'],
  [['FIXED_ASSET'], '', 'Land improvement|Building improvement|Autres terrains|Lands'],
  [['FIXED_ASSET'], 'BUILDINGS', 'Building|Buildings|Bâtiment|Bâtiments'],
  [['FIXED_ASSET'], 'VEHICLES', 'Vehicle|Vehicles|Automobile|Automobiles|Véhicule|Véhicules|Truck|Trucks|Camion|Camions'],
  [['FIXED_ASSET'], 'EQUIPMENT', 'Equipment|Machinery|Furniture|Computer|Computers|Équipement|Équipements|Mobilier|Ordinateur|Ordinateurs'],
  [['FIXED_ASSET', 'OTHER_ASSET'], 'GOODWILL', 'Goodwill|Achalandage'],
  [['FIXED_ASSET', 'OTHER_ASSET'], 'INTANGIBLE', 'Intangible|Intangibles|Patent|Patents|Trademark|Trademarks|Brevet|Brevets|Incorporels'],
  [['OTHER_ASSET'], 'SECURITY_DEPOSIT', 'Security deposit|Lease deposits|Rent deposit|Dépôt de garantie|Dépôts de garantie'],
  [
    ['OTHER_ASSET'],
    'INVESTMENT',
    'Investment|Investments|Long-term investment|Long term investments|Placement|Placements|Placements à long terme',
  ],
  [['OTHER_ASSET'], '', 'Investment property|Autres placements'],
  [
    ['OTHER_CURRENT_LIABILITY', 'LONG_TERM_LIABILITY', 'OTHER_LIABILITY'],
    'SHAREHOLDER_LOAN',
    'Shareholder loan|Shareholder’s loans|Director’s loan|Owner current account|Stockholder loan|Loan from shareholder|Loans to the director|Advance from a shareholder|Advances from owner|Due to shareholder|Payable to the stockholder|Dû à l’actionnaire|Prêt de l’actionnaire|Prêts aux actionnaires|Avance d’un administrateur|Avances d’un administrateur|Emprunts aux actionnaires|Emprunt à l’actionnaire',
  ],
  [['OTHER_CURRENT_LIABILITY', 'LONG_TERM_LIABILITY'], 'LINE_OF_CREDIT', 'Line of credit|Operating line|Marge de crédit'],
  [
    ['OTHER_CURRENT_LIABILITY'],
    'PAYROLL_LIABILITY',
    'Employee tax payable|Staff benefits|Employee deductions|Source deduction|Source deductions payable|Vacation pay|Tax withheld|Taxes withheld|Taxe withheld|Retenues à la source|Déductions à la source|Vacances|Payroll clearing|Wages payable|Salaires à payer',
  ],
  [['OTHER_CURRENT_LIABILITY'], 'TAX_LIABILITY:SALES_TAX', 'GST payable|TVQ à payer|Sales tax'],
  [
    ['OTHER_CURRENT_LIABILITY'],
    'TAX_LIABILITY:INCOME_TAX',
    'Income tax payable|Corporate tax|Corporation tax|Impôt sur le revenu|Impôts sur les bénéfices|Impôts à payer|Impôt à payer',
  ],
  [
    ['OTHER_CURRENT_LIABILITY'],
    'DEFERRED_REVENUE',
    'Deferred revenue|Deferred income|Revenue in advance|Income received in advance|Unearned revenue|Revenu reporté|Revenus reportés|Revenus perçus d’avance|Revenu perçu d’avance|Produit constaté d’avance|Produits perçus d’avance|Produits constatés d’avance|Produit perçu d’avance',
  ],
  [['OTHER_CURRENT_LIABILITY'], 'TAX_LIABILITY:', 'Tax payable|Taxes payable|Taxes à payer'],
  [['OTHER_CURRENT_LIABILITY'], '', 'Other taxes payable|Tax payable later|Autres taxes à payer'],
  [
    ['OTHER_CURRENT_LIABILITY'],
    'CUSTOMER_DEPOSIT',
    'Customer deposit|Customer deposits|Customer prepayment|Customer prepayments|Dépôt de client|Dépôts des clients',
  ],
  [['OTHER_CURRENT_LIABILITY', 'LONG_TERM_LIABILITY'], 'LOAN', 'Loan|Loans|Emprunt|Emprunts|Mortgage|Mortgages|Hypothèque|Hypothèques'],
  [['OTHER_CURRENT_LIABILITY'], 'SUSPENSE', 'Suspense|Compte d’attente'],
  [['LONG_TERM_LIABILITY'], 'LOAN', 'Note payable|Notes payable'],
  [
    ['LONG_TERM_LIABILITY'],
    'LEASE',
    'Finance lease|Capital leases|Equipment lease|Vehicle leases|Lease liability|Lease obligation|Location-financement|Crédit-bail',
  ],
  [['EQUITY'], 'OPENING_BALANCE_EQUITY', 'Opening balance|Opening balance equity|Solde d’ouverture'],
  [['EQUITY'], 'DIVIDENDS', 'Dividend|Dividends|Dividende|Dividendes'],
  [['EQUITY'], 'RETAINED_EARNINGS:', 'Retained earnings|Bénéfice non réparti|Bénéfices non répartis'],
  [
    ['EQUITY'],
    'SHARE_CAPITAL',
    'Common share|Common shares|Preferred stock|Preference shares|Ordinary share|Share capital|Capital-actions|Actions ordinaires|Actions privilégiées',
  ],
  [
    ['EQUITY'],
    'OWNERS_EQUITY',
    'Owner equity|Owners equity|Owner’s equity|Owners’ equity|Drawing|Drawings|Apport du propriétaire|Apports du propriétaire|Retrait du propriétaire|Retraits du propriétaire',
  ],
  [['BANK'], 'CASH', 'Petty cash|Cash on hand|Petite caisse'],
  [['BANK'], 'PAYPAL', 'PayPal'],
  [['BANK'], 'SAVINGS', 'Saving|Savings|Épargne'],
  [
    ['BANK'],
    'CHECKING',
    'Chequing|Checking|Cheque account|Chèques|Compte chèques|Compte de chèques|Comptes bancaire chèques|Compte bancaire chèques',
  ],
  [['BANK'], '', 'Operating|Autres chèques en cours|PayPal savings'],
  [['ACCOUNTS_RECEIVABLE'], '', 'Savings|Loan|Sales'],
]

const cases = NAMES.flatMap(([types, told, names]) => types.flatMap((type) => names.split('|').map((name) => [type, name, told] as const)))

it('a name in English or French refines the type of an account', () => {
  const tell = (type: AccountType, name: string): string => {
    const found = findByName(name, type)
    return found?.type === undefined ? (found?.subType ?? '') : `${found.type}:${found.subType ?? ''}`
  }
  const wrong = cases
    .filter(([type, name, told]) => tell(type, name) !== told)
    .map(([type, name, told]) => `${type} ${name}: ${tell(type, name)}, not ${told}`)
  expect(wrong).toEqual([])
})

it('a sub type of the source stays, and so does a type without a name', () => {
  expect(refineByName({ type: 'EXPENSE', subType: 'OWN' }, 'Depreciation')).toEqual({ type: 'EXPENSE', subType: 'OWN' })
  expect(refineByName({ type: 'EXPENSE' }, ' DEPRECIATION ')).toEqual({ type: 'DEPRECIATION', subType: '' })
  expect(refineByName({ type: 'EXPENSE' }, 'Rent')).toEqual({ type: 'EXPENSE', subType: 'RENT' })
  expect(refineByName({ type: 'EXPENSE' }, undefined)).toEqual({ type: 'EXPENSE', subType: '' })
})
