import { Link } from 'wouter'
import type { AccountingAccount, Category } from '../../api/generated/types.ts'
import { useWhole } from '../../api/reads.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/page.tsx'
import { Words } from '../../parts/words.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { type Branch, growTree } from './account-tree.ts'
import { dataPath, explanationHref, type Place } from './place.ts'

/** The chart of accounts by class, type and subtype. */
export function Tree({ place, category, asOf }: { place: Place; category: Category; asOf: string | null }) {
  const texts = useTexts(dataTexts)
  const accounts = useWhole<AccountingAccount>(dataPath(place, category, 'accounts'), { asOf }, { keep: true })
  if (accounts.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  return (
    <Answer read={accounts} lines={8}>
      {(page) => (
        <ul className="tree">
          {growTree(page.data).map((branch) => (
            <Limb key={branch.name} branch={branch} place={place} asOf={asOf} />
          ))}
        </ul>
      )}
    </Answer>
  )
}

function Limb({ branch, place, asOf }: { branch: Branch; place: Place; asOf: string | null }) {
  return (
    <li>
      <details open>
        <summary>
          <Words>{branch.name}</Words> ({branch.count})
        </summary>
        <ul>
          {branch.branches.map((each) => (
            <Limb key={each.name} branch={each} place={place} asOf={asOf} />
          ))}
          {branch.accounts.map(({ id, number, name }) => (
            <li key={id}>
              <Link href={explanationHref(place, id, 'accounts', asOf)}>
                <Words most={120}>{[number, name].filter(Boolean).join(' ')}</Words>
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}
