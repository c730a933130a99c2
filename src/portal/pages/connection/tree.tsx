import { Link } from 'wouter'
import type { AccountingAccount, Category } from '../../api/generated/types.ts'
import { useWhole } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { type Branch, buildTree } from './account-tree.ts'
import { type ConnectionKey, dataPath, explanationHref } from './paths.ts'

/** Chart of accounts by class, type and subtype. */
export function Tree({ connectionKey, category, asOf }: { connectionKey: ConnectionKey; category: Category; asOf: string | null }) {
  const texts = useTexts(dataTexts)
  const accounts = useWhole<AccountingAccount>(dataPath(connectionKey, category, 'accounts'), { asOf }, { keep: true })
  if (accounts.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  return (
    <Answer read={accounts} lines={8}>
      {(page) => (
        <ul className="tree">
          {buildTree(page.data).map((branch) => (
            <TreeNode key={branch.name} branch={branch} connectionKey={connectionKey} asOf={asOf} />
          ))}
        </ul>
      )}
    </Answer>
  )
}

function TreeNode({ branch, connectionKey, asOf }: { branch: Branch; connectionKey: ConnectionKey; asOf: string | null }) {
  return (
    <li>
      <details open>
        <summary>
          <UserText>{branch.name}</UserText> ({branch.count})
        </summary>
        <ul>
          {branch.branches.map((each) => (
            <TreeNode key={each.name} branch={each} connectionKey={connectionKey} asOf={asOf} />
          ))}
          {branch.accounts.map(({ id, number, name }) => (
            <li key={id}>
              <Link href={explanationHref(connectionKey, id, 'accounts', asOf)}>
                <UserText most={120}>{[number, name].filter(Boolean).join(' ')}</UserText>
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}
