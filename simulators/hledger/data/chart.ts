/**
 * Accounts of «Boutique Bleu fleuve», an online shop in Montréal, as declared in its journal: a name, and after a `;`
 * the declared type, as a letter or a word. The names are French, so hledger guesses no type; descendants inherit it.
 * `budget` has no type.
 * Source: https://hledger.org/1.25/hledger.html#account-types
 */
const DECLARED = `
actifs ; A
actifs:banque ; C
actifs:banque:compte chèques Caisse du Plateau
actifs:banque:compte en dollars américains
actifs:banque:épargne à intérêt élevé
actifs:encaisse ; Cash
actifs:encaisse:petite caisse de l'atelier
actifs:à recevoir:paiements en ligne
actifs:clients:Galerie Saint-Viateur
actifs:clients:Musée de l'Estuaire
actifs:stocks:céramiques
actifs:stocks:papeterie
actifs:stocks:emballages
actifs:taxes à récupérer:TPS
actifs:taxes à récupérer:TVQ
actifs:frais payés d'avance:assurances
actifs:immobilisations:matériel d'emballage
actifs:immobilisations:site web
actifs:immobilisations:amortissement cumulé
passifs ; L
passifs:carte Visa
passifs:fournisseurs:Atelier Grès & Émail
passifs:fournisseurs:Papeterie Côté
passifs:taxes à payer:TPS
passifs:taxes à payer:TVQ
passifs:retenues à la source
passifs:prêt de démarrage
capitaux ; Equity
capitaux:mise de fonds
capitaux:bénéfices non répartis
capitaux:prélèvements de Noémie
capitaux:conversion ; V
revenus ; R
revenus:boutique en ligne:céramiques
revenus:boutique en ligne:papeterie
revenus:boutique en ligne:frais de livraison
revenus:gros
revenus:intérêts
dépenses ; X
dépenses:coût des ventes:céramiques
dépenses:expédition
dépenses:frais de paiement
dépenses:frais bancaires
dépenses:loyer de l'atelier
dépenses:électricité
dépenses:publicité
dépenses:logiciels
dépenses:salaires
dépenses:charges sociales
dépenses:assurances
dépenses:amortissement
dépenses:intérêts
budget:salon des métiers d'art
`

const declared = DECLARED.trim()
  .split('\n')
  .map((line) => line.split(' ; '))
const types = new Map(declared.flatMap(([name = '', type]) => (type === undefined ? [] : [[name, type] as const])))

/** Every account, including parents that are not declared, in the order of the answers. */
export const accountNames: readonly string[] = [...new Set(declared.flatMap(([name = '']) => withParents(name)))].sort()

/** Tags of an account as each posting carries them: its own first, then those of its parents. */
export function accountTags(name: string): [string, string][] {
  return withParents(name).flatMap((each): [string, string][] => {
    const type = types.get(each)
    return type === undefined ? [] : [['type', type]]
  })
}

/** `a:b:c` yields `a:b:c`, `a:b`, `a`. */
export function withParents(name: string): string[] {
  const cut = name.lastIndexOf(':')
  return cut < 0 ? [name] : [name, ...withParents(name.slice(0, cut))]
}
