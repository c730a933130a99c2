import { setFrench } from '../../../model/texts/french.ts'

/**
 * French for the API's English reasons: why a record was set aside, a delivery attempt failed or keys were not tried.
 * Words of a source or a mail server are not translated. `test/portal/french.test.ts` checks what the service says
 * against this list.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^the address could not be reached$/, 'l’adresse n’a pu être jointe'],
  [/^no complete answer in time$/, 'aucune réponse complète à temps'],
  [/^the connection broke off$/, 'la connexion s’est interrompue'],
  [/^the answer is too large$/, 'la réponse est trop volumineuse'],
  [/^the request was cancelled$/, 'la requête a été annulée'],
  [/^(.*) says only to an owner whether keys are good$/, '$1 ne dit qu’à un propriétaire si les clés sont bonnes'],
  [/^Line (\d+): the amount of a transaction cannot be read\.$/, 'Ligne $1 : le montant d’une opération est illisible.'],
  [/^Line (\d+): the (?:booking date|date \(.*\)) of a transaction cannot be read\.$/, 'Ligne $1 : la date d’une opération est illisible.'],
  [/^the mapping failed$/, 'la mise en correspondance a échoué'],
  [/^the record has an unexpected shape$/, 'l’enregistrement a une forme inattendue'],
  [/^no amount$/, 'aucun montant'],
  [/^no day$/, 'aucune date'],
  [/^no number$/, 'aucun nombre'],
  [/^no single value$/, 'aucune valeur unique'],
  [/^no such day: (.*)$/, 'jour inexistant : $1'],
  [/^no such time of day$/, 'heure inexistante'],
  [/^no accounting year$/, 'aucun exercice'],
  [/^not an? (?:OFX )?(?:day|date)$/, 'date illisible'],
  [/^not a time(?:stamp)?(?: in seconds)?$/, 'instant illisible'],
  [/^an instant that is none$/, 'instant illisible'],
  [/^not an amount$/, 'montant illisible'],
  [/^not a decimal number$/, 'nombre décimal illisible'],
  [/^minor units with a fraction$/, 'unités mineures avec une fraction'],
  [/^minor units of no currency$/, 'unités mineures sans devise'],
  [/^neither CREDIT nor DEBIT$/, 'ni CREDIT ni DEBIT'],
  [/^neither a debit nor a credit$/, 'ni débit ni crédit'],
  [/^neither a loan nor a deposit$/, 'ni prêt ni dépôt'],
  [/^neither of a loan nor of savings$/, 'ni d’un prêt ni d’une épargne'],
  [/^a new kind of movement: its direction is unknown$/, 'un nouveau genre de mouvement : son sens est inconnu'],
  [/^debitCreditMemo does not say whether money came in or went out$/, 'debitCreditMemo ne dit pas si l’argent est entré ou sorti'],
  [/^booked on no day, and not pending$/, 'sans date de comptabilisation, et pas en attente'],
  [/^the profile has no such list any more$/, 'le profil n’a plus cette liste'],
  [/^the overview lists it, but it is not there$/, 'l’aperçu l’énumère, mais il n’existe pas'],
  [/^the bank gave an error in place of this account$/, 'l’institution a donné une erreur au lieu de ce compte'],
  [/^a group of student loans: .*$/, 'un groupe de prêts étudiants : la somme de ses prêts, dont chacun est un compte'],
  [/^a transaction in the list of another account$/, 'une opération dans la liste d’un autre compte'],
  [/^a transaction of an account that was not asked for$/, 'une opération d’un compte qui n’a pas été demandé'],
  [/^a transaction of another account than the one that was asked for$/, 'une opération d’un autre compte que celui demandé'],
  [/^an account of another bank, linked for the same customer$/, 'un compte d’une autre institution, lié pour le même client'],
  [/^an accounting line without a transaction$/, 'une ligne comptable sans opération'],
  [/^a posting in parentheses, which balances with nothing$/, 'une écriture entre parenthèses, sans contrepartie'],
  [/^an entry of unknown shape$/, 'une écriture de forme inconnue'],
  [/^an entry without a line that the user may see$/, 'une écriture sans ligne que l’utilisateur peut voir'],
]

/** Subjects: the beginning of a reason. */
const SUBJECTS: readonly (readonly [string, string])[] = [
  ['a journal entry', 'une écriture de journal'],
  ['a journal transaction', 'une opération du journal'],
  ['a manual journal', 'un journal manuel'],
  ['a journal', 'un journal'],
  ['a ledger account', 'un compte du grand livre'],
  ['a ledger entry', 'une écriture du grand livre'],
  ['a transaction', 'une opération'],
  ['a category', 'une catégorie'],
  ['a line of its entry', 'une ligne de son écriture'],
  ['a line of its voucher', 'une ligne de sa pièce'],
  ['a line', 'une ligne'],
  ['an amount of its entry', 'un montant de son écriture'],
  ['an amount of its voucher', 'un montant de sa pièce'],
  ['its entry', 'son écriture'],
  ['its voucher', 'sa pièce'],
  ['movements of an account', 'les mouvements d’un compte'],
  ['an account', 'un compte'],
  ['an entry', 'une écriture'],
  ['a movement', 'un mouvement'],
]

/** Defects: the end of a reason. */
const FLAWS: readonly (readonly [RegExp, string])[] = [
  [/^without an? name$/, 'sans nom'],
  [/^without an? number$/, 'sans numéro'],
  [/^without an? address$/, 'sans adresse'],
  [/^without an id and a container$/, 'sans id ni conteneur'],
  [/^without an? (\S+)$/, 'sans $1'],
  [/^that cannot be read$/, ': illisible'],
  [/^cannot be read$/, ': illisible'],
  [/^with a line that cannot be read$/, 'avec une ligne illisible'],
  [/^with an empty amount$/, 'avec un montant vide'],
  [/^with an impossible date or amount$/, 'avec une date ou un montant impossible'],
  [/^with two lines of one id$/i, 'avec deux lignes du même id'],
  [/^with too many lines$/, 'avec trop de lignes'],
  [/^with tax, whose account it does not name$/, 'avec une taxe dont le compte n’est pas nommé'],
  [/^whose debits and credits differ$/, 'dont les débits et les crédits diffèrent'],
  [/^whose status is not known$/, 'dont l’état est inconnu'],
  [/^(?:has no possible|has an impossible) day$/, ': date impossible'],
  [/^is no exact decimal$/, ': décimale inexacte'],
]

/** Reasons that name a kind of row or account. */
const OF_A_KIND: readonly (readonly [RegExp, string])[] = [
  [/^a row of "(.*)" without an id$/, 'une ligne de « $1 » sans id'],
  [/^a (\S+) account without a number in the overview$/, 'un compte $1 sans numéro dans l’aperçu'],
  [/^a (\S+) account without an encodedKey$/, 'un compte $1 sans encodedKey'],
  [/^a movement of a (\S+) account without a number$/, 'un mouvement d’un compte $1 sans numéro'],
  [/^a movement of a (\S+) account without an encodedKey$/, 'un mouvement d’un compte $1 sans encodedKey'],
]

/** French text, or null without a translation. A field or a path in the source’s record may precede the reason. */
export function reasonInFrench(reason: string, rest: (text: string) => string | null = () => null): string | null {
  const whole = translate([...REASONS, ...OF_A_KIND], reason) ?? flawInFrench(reason)
  if (whole !== null) return setFrench(whole)
  const [, place = '', text = ''] = /^([\w./]+): (.+)$/s.exec(reason) ?? []
  const said = place === '' ? null : (reasonInFrench(text, rest) ?? rest(text))
  return said && setFrench(`${place === 'record' ? 'enregistrement' : place} : ${said}`)
}

function flawInFrench(reason: string): string | null {
  for (const [english, french] of SUBJECTS) {
    if (!reason.startsWith(`${english} `)) continue
    const flaw = translate(FLAWS, reason.slice(english.length + 1))
    if (flaw !== null) return `${french} ${flaw}`
  }
  return null
}

function translate(list: readonly (readonly [RegExp, string])[], text: string): string | null {
  const found = list.find(([pattern]) => pattern.test(text))
  return found ? text.replace(found[0], found[1]) : null
}
