import type { BankAccountKind } from '../../../model/records/banking.ts'

/** Words of a product, over plain text (lower case, no accents, single blanks), with their meaning and an example. */
export type NamePattern = readonly [words: RegExp, kind: BankAccountKind, example: string]

const cash = <S extends Extract<BankAccountKind, { type: 'Cash' }>['subType']>(subType: S) => ({ type: 'Cash', subType }) as const
const loan = <S extends Extract<BankAccountKind, { type: 'Loans' }>['subType']>(subType: S) => ({ type: 'Loans', subType }) as const
const card = <S extends Extract<BankAccountKind, { type: 'CreditCards' }>['subType']>(subType: S) =>
  ({ type: 'CreditCards', subType }) as const
const investment = <S extends Extract<BankAccountKind, { type: 'Investments' }>['subType']>(subType: S) =>
  ({ type: 'Investments', subType }) as const
const insurance = <S extends Extract<BankAccountKind, { type: 'Insurance' }>['subType']>(subType: S) =>
  ({ type: 'Insurance', subType }) as const

/** Banks whose own name is a product's: `Farmers Savings Bank Checking`. */
export const BANK_NAMES =
  /\b(federal )?savings (bank|and loan( association)?|institution)\b|\bbank for savings\b|\bcaisse d epargne\b|\bcredit union\b|\bcredit (mutuel|agricole|suisse)\b|\b(american express( national)?|discover) bank\b/g

/** Registered plans of Canada and pensions of the United States by their abbreviations. */
const PLANS =
  /\b(tfsa|celi|celiapp|fhsa|rrsp|srrsp|rsp|reer|rrif|ferr|resp|reee|rdsp|reei|lira|cri|lrsp|reir|lif|frv|rlif|lrif|dpsp|rpdb|prpp|rpac|vrsp|rver)\b|\btax free savings\b|\blibre d impot\b|\bpremiere propriete\b|\bfirst home savings\b|(?<!\bnon )\bregistered( \w+){0,3} (plan|fund)\b|\b(retirement|education|disability) savings plan\b|\b(regime|fonds|compte) enregistre\b|\bepargne (retraite|etudes|invalidite)\b|\blocked in\b|\blife income fund\b|\brevenu viager\b|\bretraite immobilise\b/

/**
 * Products, specific before general: matched text is not matched again, and of two assets (or two liabilities) the
 * first decides.
 */
export const PRODUCTS: readonly NamePattern[] = [
  [/\bpaycheck protection\b|\b(ppp|eidl) loan\b|\bceba\b|\bcuec\b/, loan('BusinessLoan'), 'CEBA or CUEC'],
  [/\bhome equity (installment )?loan\b|\bpret (sur )?(la )?valeur (domiciliaire|nette)\b/, loan('HomeEquityLoan'), 'Home Equity Loan'],
  [
    /\bheloc\b|\b(home )?equity (line of credit|line|loc)\b|\bhome line of credit\b|\b(marge|ligne) (de credit )?hypothecaire\b/,
    loan('Heloc'),
    'Home Equity Line or Marge hypothécaire',
  ],
  [
    /\boverdraft (protection )?(line of credit|line|loc|loan)\b|\b(ligne|marge|facilite) de decouvert\b/,
    loan('Overdraft'),
    'Overdraft Line of Credit',
  ],
  [/\bcomptes? (sur )?marge\b(?! (de credit|hypothecaire|d|personnelle))|\bsur marge\b|\bmargin\b/, investment('Brokerage'), 'Margin'],
  [
    /\blines? of credit\b|\bcredit lines?\b|\b(lignes?|marges?) de credit\b|\bmarges?\b|\b[pus]?loc\b|\bcredit (rotatif|renouvelable)\b|\brevolving credit\b|\b(business|personal|operating|flex|reserve|ready|student) line\b/,
    loan('LineOfCredit'),
    'Line of Credit or Marge de crédit',
  ],
  [/\bconstruction (loan|mortgage)\b|\bpret (de |a la )?construction\b/, loan('ConstructionLoan'), 'Construction Loan'],
  [/\bprets? hypothecaires?\b|\bmortgages?( loans?)?\b|\bmtg\b|\bhypotheques?\b/, loan('Mortgage'), 'Mortgage or Hypothèque'],
  [/\bhome loan\b|\bpret (immobilier|habitation|maison)\b/, loan('HomeLoan'), 'Home Loan'],
  [
    /\b(auto(mobile)?|car|vehicle|truck) (loan|finance|financing)\b|\b(pret|financement) (auto(mobile)?|vehicule|camion)\b|\b(new|used) (auto|vehicle|car)( loan)?\b/,
    loan('AutoLoan'),
    'Auto Loan or Prêt auto',
  ],
  [/\b(student|education) loans?\b|\bprets? (aux )?(etudiants?|etudes)\b/, loan('StudentLoan'), 'Student Loan or Prêt étudiant'],
  [/\bcommercial (term )?loans?\b|\bprets? commercia(l|ux)\b/, loan('CommercialLoan'), 'Commercial Loan'],
  [
    /\b(business|sba) (\w+ )?loans?\b|\bprets? (aux? |d |pour )?(les |petites? )?(pme|affaires|entreprises?)\b|\bmerchant cash advance\b/,
    loan('BusinessLoan'),
    'Small Business Loan or Prêt aux entreprises',
  ],
  [/\b(personal|signature|unsecured) loans?\b|\bprets? personnels?\b/, loan('PersonalLoan'), 'Personal Loan or Prêt personnel'],
  [/\bconsumer loans?\b|\bprets? (a la )?consommation\b/, loan('ConsumerLoan'), 'Consumer Loan'],
  [/\bmilitary loan\b/, loan('MilitaryLoan'), 'Military Loan'],
  [/\binstall?ments?( loans?)?\b|\bpret a temperament\b/, loan('Installment'), 'Installment Loan'],
  [/\bloans?\b|\bprets?\b|\bemprunts?\b|\bfinancing\b|\bfinancement\b|\bcredit bail\b/, loan('OtherLoan'), 'Loan or Prêt'],
  [
    /\bprepaid( \w+)?( credit| debit)? card\b|\bprepaid\b|\bcarte( de credit)?( \w+)? prepayee\b|\bprepayee?s?\b|\bgift cards?\b|\bcarte cadeau\b|\bpay ?(roll)? ?cards?\b/,
    cash('PrepaidDebitCard'),
    'Prepaid Card',
  ],
  [
    /\b(business|commercial|corporate|company|purchasing|fleet) (?:(?!debit|check|charge)\w+ ){0,2}(credit )?cards?\b|\bcartes? (de credit )?(d |de l |pour )?(affaires|entreprises?|commerciales?|corporatives?)\b/,
    card('BusinessCard'),
    'Business Card',
  ],
  [/\bcredit ?cards?\b|\bcartes? (de )?credit\b/, card('CreditCard'), 'Credit Card or Carte de crédit'],
  [/\bcharge cards?\b|\bcarte accreditive\b/, card('ChargeCard'), 'Charge Card'],
  [/\bstore cards?\b|\bcarte (de )?magasin\b/, card('StoreCard'), 'Store Card'],
  [/\bhsa\b|\bhealth (care )?savings\b/, cash('Hsa'), 'HSA'],
  [/\bfsa\b|\bflexible spending\b|\bdependent care\b/, cash('Fsa'), 'FSA'],
  [/\bebt\b|\belectronic benefit\b/, cash('Ebt'), 'EBT'],
  [/\bcommuter\b|\b(transit|parking) benefits?\b/, cash('Commuter'), 'Commuter Benefits'],
  [PLANS, investment('RegisteredPlan'), 'TFSA or CELI, RRSP or REER, FHSA or CELIAPP'],
  [
    /\b529 (plan|college|education|savings)\b|\bplan 529\b|\bcoverdell\b|\b(college|education) savings\b/,
    investment('EducationSavings'),
    '529 Plan',
  ],
  [
    /\b401 ?(k|a)\b|\b403 ?b\b|\b457 ?b\b|\b(sep|simple|roth|rollover|traditional|inherited) ira\b|\bira\b|\bkeogh\b|\bthrift savings\b|\bretirement\b|\bretraite\b/,
    investment('Retirement'),
    '401(k) or IRA',
  ],
  [/\bespp\b|\besop\b|\b(employee )?stock (purchase |option )?plan\b|\bactionnariat\b/, investment('EmployeeStockPlan'), 'Stock Plan'],
  [/\bpension plan\b|\b(regime|fonds) de pension\b/, investment('Pension'), 'Pension Plan'],
  [/\bsavings bonds?\b|\bobligations? d epargne\b/, investment('OtherInvestment'), 'Savings Bonds'],
  [
    /\bmutual funds?\b|\bmoney market (mutual )?fund\b|\bfonds (communs?|mutuels?|(du |de )?marche monetaire)\b/,
    investment('MutualFund'),
    'Mutual Fund',
  ],
  [/\bcrypto\w*\b|\bbitcoin\b|\bethereum\b/, investment('DigitalAsset'), 'Crypto'],
  [/\brecurring deposit\b|\bdepot recurrent\b/, cash('RecurringDeposit'), 'Recurring Deposit'],
  [
    /\b(share )?certificates?( of deposit)?\b|\bcds?\b|\bgics?\b|\bcpg\b|\bcertificats? de (depot|placement)( garanti)?\b|\b(term|time|fixed|redeemable|cashable) (deposits?|savings|investment)\b|\b(depots?|placements?|epargne) (a terme|fixe|garantis?|rachetable)\b|\bguaranteed investment\b/,
    cash('Cd'),
    'GIC or CPG, Term Deposit',
  ],
  [/\bmoney market\b|\bmarche monetaire\b|\bmmda?\b|\bmmsa\b|\bmmkt\b/, cash('Mmda'), 'Money Market'],
  [/\bcash management\b|\bgestion (de tresorerie|de l encaisse)\b/, cash('CashManagement'), 'Cash Management'],
  [
    /\bepargne (avec|et) operations\b|\beop\b|\bchecking\b|\bcheck\b|\bchk\b|\bchkg\b|\bckg\b|\bchequings?\b|\bcheques?\b|\bchq\b|\bdda\b|\bdemand deposit\b|\bshare drafts?\b|\bcomptes? (courants?|d operations|avec operations)\b|\bcurrent account\b|\bnow account\b/,
    cash('Checking'),
    'Chequing or Compte chèques',
  ],
  [
    /\bsavings?\b|\bsaver\b|\bsav\b|\bsvgs?\b|\bepargnes?\b|\bhysa\b|\bhisa\b|\b(regular|prime|primary|base) shares?\b|\bshare account\b|\b(christmas|vacation|holiday) club\b|\bclub de noel\b/,
    cash('Savings'),
    'Savings or Épargne',
  ],
  [/\bbrokerage\b|\bcourtage\b|\bautogere\b|\bself directed\b|\bstock trading\b/, investment('Brokerage'), 'Brokerage or Courtage'],
]

/** Uses and features of an account: only for names without a product. */
export const USES: readonly NamePattern[] = [
  [/\bdebit\b/, cash('Checking'), 'Debit Card or Visa Débit'],
  [/\bhome equity\b/, loan('Heloc'), 'Home Equity'],
  [/\boverdraft\b|\bdecouvert\b/, loan('Overdraft'), 'Overdraft'],
  [
    /\boperating\b|\bexploitation\b|\bspending\b|\b(everyday|secure|student|clear access|advantage( \w+)?) banking\b|\bsafebalance\b/,
    cash('Checking'),
    'Operating Account or Compte d’exploitation',
  ],
  [/\bhigh (yield|interest)\b|\binteret eleve\b|\bhaut rendement\b/, cash('Savings'), 'High Interest'],
  [/\bsweep\b|\bescrow\b|\bpetty cash\b|\bpetite caisse\b/, cash('OtherCash'), 'Escrow or Petite caisse'],
  [/\b(life|whole|universal) (life|insurance)\b|\bassurance vie\b/, insurance('LifeInsurance'), 'Life Insurance'],
  [/\b(home|homeowners?|renters?) insurance\b|\bassurance habitation\b/, insurance('HomeInsurance'), 'Home Insurance'],
  [/\b(auto|car|vehicle) insurance\b|\bassurance auto(mobile)?\b/, insurance('AutoInsurance'), 'Auto Insurance'],
  [/\bhealth insurance\b|\bassurance (sante|maladie)\b/, insurance('HealthInsurance'), 'Health Insurance'],
  [/\binsurance\b|\bassurances?\b/, insurance('OtherInsurance'), 'Insurance'],
  [/\bannuity\b|\bannuities\b|\brente viagere\b/, investment('Annuity'), 'Annuity'],
  [/\bpension\b/, investment('Pension'), 'Pension'],
  [
    /\binvestments?\b|\binvesting\b|\bplacements?\b|\bportfolio\b|\bportefeuille\b|\bnon (registered|enregistre)\b/,
    investment('OtherInvestment'),
    'Investment or Placement',
  ],
]

/** Card networks and brands: only for names without a product or a use. */
export const BRANDS: readonly NamePattern[] = [
  [
    /\bvisa\b|\bmaster ?card\b|\bamex\b|\bamerican express\b|\bdiscover\b|\bdiners club\b|\b(sapphire|freedom) (preferred|reserve|unlimited|flex)\b|\bink (business|cash|preferred|unlimited)\b|\bquicksilver\b|\bdouble cash\b|\bblue cash\b/,
    card('CreditCard'),
    'Visa',
  ],
  [/\bpaypal credit\b/, card('PayPalCard'), 'PayPal Credit'],
  [/\bpaypal\b/, cash('PayPal'), 'PayPal'],
  [/\bcards?\b|\bcartes?\b/, card('OtherCard'), 'Card'],
]

/** Least specific words: tried last. */
export const GENERAL: readonly NamePattern[] = [
  [
    /\bbusiness (bank )?account\b|\bcompte (bancaire )?(commercial|(d |de l )?(affaires|entreprises?))\b/,
    cash('BusinessAccount'),
    'Business Account or Compte d’affaires',
  ],
  [/\b(bank|deposit) account\b|\bcompte (bancaire|de depot)\b/, cash('OtherCash'), 'Bank Account or Compte bancaire'],
  [
    /^(\w+ ){0,3}(points|miles)( balance)?$|^(points|milles)( \w+){0,3}$|^(my |mes )?(rewards?|recompenses?)( program| balance)?$/,
    card('RewardPoints'),
    'Aeroplan Points',
  ],
]
