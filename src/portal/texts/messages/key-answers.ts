import { setFrench } from '../../../model/texts/french.ts'
import { reasonInFrench } from './reasons.ts'

type Pair = readonly [RegExp, string]

/** Whole messages about keys. */
const WHOLE: readonly Pair[] = [
  [/^the certificate or its private key is no PEM$/, 'le certificat ou sa clé privée n’est pas au format PEM'],
  [/^the private key is not that of the certificate$/, 'la clé privée n’est pas celle du certificat'],
  [/^the certificate has run out$/, 'le certificat est expiré'],
  [/^the private key for this bank cannot be read$/, 'la clé privée de cette institution est illisible'],
  [/^the signingKey is no private key$/, 'signingKey n’est pas une clé privée'],
  [/^the connectors are not of the form (.*)$/, 'les connecteurs ne sont pas de la forme $1'],
  [/^one key is of live mode and the other of test mode$/, 'une clé est du mode réel, l’autre du mode d’essai'],
  [/^the refresh took more than (\d+) ms$/, 'le renouvellement a pris plus de $1 ms'],
  [/^(.+) answered without a token$/, '$1 a répondu sans jeton'],
]

/** First halves: the request and the response codes. */
const HEADS: readonly Pair[] = [
  [/^the bank answered (\d{3}) to the request for a token( \([^()]*\))?$/, 'l’institution a répondu $1 à la demande de jeton$2'],
  [/^(.+) answered (\d{3}) to the request for a token( \([^()]*\))?$/, '$1 a répondu $2 à la demande de jeton$3'],
  [
    /^((?:[\w.-]+ )?(?:[A-Z]+ )?\/\S*): (no error type \/ )?(?:no error code|no code|code none) (\(HTTP \d{3}\))$/,
    '$1 : sans code d’erreur $3',
  ],
  [/^((?:[\w.-]+ )?(?:[A-Z]+ )?\/\S*): the keys are refused (\(HTTP \d{3}\))$/, '$1 : clés refusées $2'],
  [/^((?:[\w.-]+ )?(?:[A-Z]+ )?\/\S*): ([\w.]+) \/ no error code (\(HTTP \d{3}\))$/, '$1 : $2, sans code d’erreur $3'],
  [/^((?:[\w.-]+ )?(?:[A-Z]+ )?\/\S*): ((?:code )?[\w.-]+(?: \/ [\w.-]+)?) (\(HTTP \d{3}\))$/, '$1 : $2 $3'],
  [/^((?:[\w.-]+ )?(?:[A-Z]+ )?\/\S*): (HTTP \d{3})$/, '$1 : $2'],
]

/** A request or the key of a source alone. */
const PLACE = /^(?:[\w.-]+ )?(?:[A-Z]+ )?\/\S*$|^[A-Z]+ \w+$|^[a-z][\w-]*$/

/** Last halves: the defect. */
const TAILS: readonly Pair[] = [
  [/^the keys were refused$/, 'clés refusées'],
  [/^the clientId or clientSecret was refused$/, 'clientId ou clientSecret refusé'],
  [/^the clientId was refused$/, 'clientId refusé'],
  [/^the administrator's name was refused$/, 'nom de l’administrateur refusé'],
  [/^there is no such customer$/, 'ce client n’existe pas'],
  [/^the source asked to wait$/, 'la source a demandé d’attendre'],
  [/^the source fails and is left alone for a while$/, 'la source est en panne; on la laisse tranquille un moment'],
  [/^the source is being tried by others$/, 'la source est déjà mise à l’essai'],
  [/^no complete answer within (\d+) ms$/, 'aucune réponse complète en $1 ms'],
  [/^the answer is larger than (\d+) bytes$/, 'la réponse dépasse $1 octets'],
  [/^the compressed answer is broken$/, 'la réponse compressée est abîmée'],
  [/^the answer does not have the expected shape$/, 'la réponse n’a pas la forme attendue'],
  [/^the answer holds no token$/, 'la réponse ne contient aucun jeton'],
  [/^the source answered a page of HTML or XML$/, 'la source a répondu par une page HTML ou XML'],
  [/^the source answered (\d+) bytes that are no JSON$/, 'la source a répondu $1 octets qui ne sont pas du JSON'],
]

/** French for what a source said about keys, or why it could not be asked; null for a source’s own words. */
export function keyAnswerInFrench(text: string): string | null {
  const said = find(WHOLE, text) ?? find(HEADS, text) ?? joined(text)
  return said === null ? reasonInFrench(text) : setFrench(said)
}

/** A request or response, a colon, and the defect. */
function joined(text: string): string | null {
  const at = text.lastIndexOf(': ')
  if (at === -1) return null
  const [head, end] = [text.slice(0, at), text.slice(at + 2)]
  const place = find(HEADS, head) ?? (PLACE.test(head) ? head : null)
  const tail = find(TAILS, end) ?? reasonInFrench(end)
  return place === null || tail === null ? null : `${place} : ${tail}`
}

function find(list: readonly Pair[], text: string): string | null {
  const found = list.find(([pattern]) => pattern.test(text))
  return found ? text.replace(found[0], found[1]) : null
}
