import { setFrench } from '../../../model/texts/french.ts'

/** French for the mapping rules that the API explains in English. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [
    /^worked out from company, service, entity and origId: the same for ever$/,
    'calculé d’après l’entreprise, le service, l’entité et origId : le même à jamais',
  ],
  [/^the service that was asked for$/, 'le service demandé'],
  [/^the name of the service$/, 'le nom du service'],
  [
    /^when the raw page was received, or when the source no longer had the record$/,
    'le moment où la page brute est arrivée, ou depuis lequel la source n’a plus l’enregistrement',
  ],
  [/^whether the source still has the record$/, 'si la source a encore l’enregistrement'],
  [/^the id under which readers met it first; .*$/, 'l’id sous lequel les lecteurs l’ont connu; la source lui en a donné un autre depuis'],
  [/^the source no longer has the record$/, 'la source n’a plus l’enregistrement'],
  [/^(.*) records always have (.*) here$/, 'les enregistrements de $1 ont toujours $2 ici'],
  [/^(.*) does not know (.*), so the least certain value (.*) stands$/, '$1 ne connaît pas $2; la valeur la moins sûre, $3, tient lieu'],
  [/^the source says nothing of it in (.*)$/, 'la source n’en dit rien dans $1'],
  [/^the end of (.*)$/, 'la fin de $1'],
  [/^(\S+) table of (.*): (.*)$/, 'table $1 de $2 : $3'],
  [/^(.*) as it is$/, '$1 tel quel'],
  [/^worked out from (.*)$/, 'calculé d’après $1'],
]

/** French text, or null without a translation. */
export function ruleInFrench(rule: string): string | null {
  const found = RULES.find(([pattern]) => pattern.test(rule))
  if (!found) return null
  const said = rule.replace(found[0], found[1])
  return setFrench(
    said
      .replace('the whole record', 'l’enregistrement entier')
      .replace(/ and (\d+) more/, ' et $1 de plus')
      .replace('an empty text', 'un texte vide'),
  )
}
