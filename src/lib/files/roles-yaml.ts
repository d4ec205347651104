// Edits a YAML roles file in place: comments, order, blank lines and quotes remain as the user wrote them.
import { isCollection, isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Alias, CST, Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { ManifestReply, RoleReply, TaskRef } from '../contract/roles.ts';
import { compareWithFile, isEmpty, type RoleEdits, shortRole, shortTask } from './roles-edits.ts';
import { TextEdits } from './text-edits.ts';
import { readFullYaml } from '../kernel/yaml-document.ts';
import { inlineText, toYaml } from './yaml-text.ts';

/** Returns a roles file's text, edited to match `manifest`; undefined if it cannot be edited in place. */
export function updateYaml(text: string, manifest: ManifestReply): string | undefined {
  const edited = new YamlEditor(text).update(manifest);
  if (edited === text || says(edited, manifest)) return edited;
  // Editing an anchored value would change all its aliases, so first replace the aliases with copies.
  const plain = withoutAliases(text);
  const again = new YamlEditor(plain).update(manifest);
  return says(again, manifest) ? again : undefined;
}

function parse(text: string): Document.Parsed {
  return parseDocument(text, { schema: 'core', intAsBigInt: true, keepSourceTokens: true, uniqueKeys: false });
}

function says(text: string, manifest: ManifestReply): boolean {
  const { problems, value } = readFullYaml(text);
  return problems.length === 0 && hasTaskLists(value) && isEmpty(compareWithFile(value, manifest));
}

function hasTaskLists(value: unknown): value is Record<string, unknown> {
  const { roles } = (value ?? {}) as { roles?: { tasks?: unknown }[] | null };
  return Array.isArray(roles) && roles.every((role) => Array.isArray(role.tasks));
}

function withoutAliases(text: string): string {
  const document = parse(text);
  const edits = new TextEdits(text);
  visit(document, {
    Alias: (_key, alias: Alias) => {
      const [from, to] = alias.range ?? [0, 0];
      edits.replace(from, to, inlineText(alias.toJS(document, { maxAliasCount: -1 })));
    },
  });
  return edits.apply();
}

type NodePair = Pair<Scalar, Node | null>;

interface HeldList {
  key: Scalar;
  list: YAMLSeq<Node>;
}

/** A new list item: `lines` for a list with dashes, `inline` for a list in brackets. */
interface NewItem {
  lines: string[];
  inline: string;
}

class YamlEditor {
  readonly #edits: TextEdits;
  readonly #document: Document.Parsed;

  constructor(text: string) {
    this.#edits = new TextEdits(text);
    this.#document = parse(text);
  }

  update(manifest: ManifestReply): string {
    const { fields, roles, inside } = compareWithFile(
      this.#document.toJS({ maxAliasCount: -1 }) as Record<string, unknown>,
      manifest,
    );
    const root = this.#document.contents as unknown as YAMLMap;
    for (const [key, value] of fields) this.#setField(root, key, value);
    const held = this.#listUnder(root, 'roles');
    for (const [index, edits] of inside) if (held) this.#editRole(held.list, held.list.items[index] as YAMLMap, edits);
    const added = held ? roles.added.map((role) => this.#newRole(role, held.list)) : [];
    if (held?.list.flow && held.list.items.length === 0 && !root.flow) this.#unfoldList(held, added);
    else if (held) this.#editList(held, roles.dropped, added);
    return this.#edits.apply();
  }

  #editRole(list: YAMLSeq<Node>, node: YAMLMap, { role, fields, tasks }: RoleEdits): void {
    const isInPlace = [...fields].every(([key, value]) => {
      const pair = findPair(node, key);
      return pair && (value !== undefined || this.#hasOwnLines(node, pair));
    });
    if (!isInPlace) {
      this.#rewriteRole(list, node, role);
      return;
    }
    for (const [key, value] of fields) this.#setField(node, key, value);
    const held = this.#listUnder(node, 'tasks');
    const added = held ? tasks.added.map((task) => this.#newTask(task, held.list)) : [];
    if (held) this.#editList(held, tasks.dropped, added);
  }

  #rewriteRole(list: YAMLSeq<Node>, node: YAMLMap, role: RoleReply): void {
    const [from = 0, to = 0] = node.range ?? [];
    if (node.flow) {
      this.#edits.replace(from, to, inlineText(shortRole(role)));
      return;
    }
    const indent = ' '.repeat(from - this.#edits.lineStart(from));
    const lines = this.#roleLines(role, this.#isIndented(list)).map((line, index) =>
      index === 0 ? line : `${indent}${line}`,
    );
    const { lineEnd } = this.#edits;
    this.#edits.replace(from, this.#after(node), lines.join(lineEnd) + lineEnd);
  }

  #setField(map: YAMLMap, key: string, value: unknown): void {
    const pair = findPair(map, key);
    if (!pair) return;
    const node = pair.value;
    const [from = 0, to = 0] = node?.range ?? [];
    if (value === undefined) this.#edits.dropLines(this.#edits.lineStart(pair.key.range?.[0] ?? 0), this.#after(pair));
    else {
      const inline = inlineText(value, isScalar(node) ? node : undefined);
      const isWhole = this.#edits.text[to - 1] === '\n'; // True for a block scalar or a block map.
      if (from === to) this.#edits.replace(this.#afterColon(pair.key), this.#afterColon(pair.key), ` ${inline}`);
      else this.#edits.replace(from, to, isWhole ? `${inline}${this.#edits.lineEnd}` : inline);
    }
  }

  #editList({ key, list }: HeldList, dropped: Set<number>, added: NewItem[]): void {
    if (dropped.size + added.length === 0) return;
    if (list.flow) this.#editFlowList(list, dropped, added);
    else this.#editBlockList(key, list, dropped, added);
  }

  /** Replaces `[]` with a list with dashes. */
  #unfoldList({ key, list }: HeldList, added: NewItem[]): void {
    if (added.length === 0) return;
    const [start = 0, end = 0] = list.range ?? [];
    const line = { from: this.#edits.lineStart(start), to: this.#edits.lineAfter(end) };
    // If the brackets are on their own line, remove only that line: a comment may precede it.
    const isAlone = /^\s*\[\s*\]\s*$/.test(this.#edits.text.slice(line.from, line.to));
    if (isAlone) this.#edits.replace(line.from, line.to, '');
    else this.#edits.replace(this.#afterColon(key), end, '');
    const lines = added.flatMap((item) => dashed(item, '  '));
    this.#edits.insertLines(line.to, lines);
  }

  #editBlockList(key: Scalar, list: YAMLSeq<Node>, dropped: Set<number>, added: NewItem[]): void {
    const { text } = this.#edits;
    const starts = list.items.map((_item, index) => this.#edits.lineStart(this.#dashOf(list, index)));
    for (const index of dropped) this.#edits.dropLines(starts[index] ?? 0, this.#afterItem(list, index));
    const lastKept = list.items.findLastIndex((_item, index) => !dropped.has(index));
    if (added.length > 0) {
      const first = starts[0] ?? 0;
      const indent = text.slice(first, this.#dashOf(list, 0));
      const isSpaced =
        list.items.length > 1 && /\n[ \t]*\r?\n/.test(text.slice(this.#after(list.items[0]) - 1, starts[1]));
      const lines = added.flatMap((item) => [...(isSpaced ? [''] : []), ...dashed(item, indent)]);
      this.#edits.insertLines(lastKept < 0 ? first : this.#afterItem(list, lastKept), lines);
    } else if (lastKept < 0) this.#edits.replace(this.#afterColon(key), this.#afterColon(key), ' []');
  }

  #editFlowList(list: YAMLSeq<Node>, dropped: Set<number>, added: NewItem[]): void {
    const spans = list.items.map(({ range }) => ({ from: range?.[0] ?? 0, to: range?.[1] ?? 0 }));
    const inline = added.map((item) => item.inline).join(', ');
    const lastKept = spans.findLastIndex((_span, index) => !dropped.has(index));
    const last = spans[lastKept];
    if (!last) {
      const [open = 0, end = 0] = list.range ?? [];
      this.#edits.replace(open + 1, end - 1, inline);
      return;
    }
    for (const index of dropped) {
      const [before, span, next] = [spans[index - 1], spans[index], spans[index + 1]];
      if (span && next && index < lastKept) this.#edits.replace(span.from, next.from, '');
      else if (span) this.#edits.replace(before?.to ?? span.from, span.to, '');
    }
    if (inline !== '') this.#edits.replace(last.to, last.to, `, ${inline}`);
  }

  #newRole(role: RoleReply, list: YAMLSeq<Node>): NewItem {
    const indentLists = list.flow === true || this.#isIndented(list);
    return { lines: this.#roleLines(role, indentLists), inline: inlineText(shortRole(role)) };
  }

  #isIndented(list: YAMLSeq<Node>): boolean {
    const dash = this.#dashOf(list, 0);
    return dash > this.#edits.lineStart(dash);
  }

  #roleLines(role: RoleReply, indentLists: boolean): string[] {
    return linesOf(toYaml(shortRole(role), { indentLists }));
  }

  /** Writes a task in the same form as the other tasks in the list. */
  #newTask(task: TaskRef, list: YAMLSeq<Node>): NewItem {
    const map = list.items.find((item): item is YAMLMap & Node => isMap(item));
    const like = list.items.find((item) => isScalar(item));
    const short = shortTask(task);
    if (typeof short === 'string' && !map) {
      const inline = inlineText(short, like);
      return { lines: [inline], inline };
    }
    const inline = inlineText(task);
    return { lines: map && !map.flow ? linesOf(toYaml(task)) : [inline], inline };
  }

  #listUnder(map: YAMLMap, key: string): HeldList | undefined {
    const pair = findPair(map, key);
    return pair && isSeq(pair.value) ? { key: pair.key, list: pair.value as YAMLSeq<Node> } : undefined;
  }

  #hasOwnLines(map: YAMLMap, pair: NodePair): boolean {
    const start = pair.key.range?.[0] ?? 0;
    return map.flow !== true && this.#edits.text.slice(this.#edits.lineStart(start), start).trim() === '';
  }

  #afterColon(key: Scalar): number {
    return this.#edits.text.indexOf(':', key.range?.[1]) + 1;
  }

  #dashOf(list: YAMLSeq<Node>, index: number): number {
    const { items } = list.srcToken as CST.BlockSequence;
    return items[index]?.start.find((token) => token.type === 'seq-item-ind')?.offset ?? 0;
  }

  /** Returns the offset after the last line of a list item and of the comments that are indented like its content. */
  #afterItem(list: YAMLSeq<Node>, index: number): number {
    const { text } = this.#edits;
    const dash = this.#dashOf(list, index);
    const deeper = new RegExp(`(?<![ \\t])[ \\t]{${dash - this.#edits.lineStart(dash) + 1},}#[^\\n]*(?:\\n|$)`, 'y');
    deeper.lastIndex = this.#after(list.items[index]);
    let end = deeper.lastIndex;
    while (end < text.length && deeper.test(text)) end = deeper.lastIndex;
    return end;
  }

  /** Returns the offset after the last line of a node's or pair's content. */
  #after(part: Node | NodePair | null | undefined): number {
    if (isPair(part)) {
      const { key, value } = part as NodePair;
      const isEmpty = !value?.range || value.range[0] === value.range[1];
      return isEmpty ? this.#edits.lineAfter(key.range?.[1] ?? 0) : this.#after(value);
    }
    const isBlock = isCollection(part) && part.flow !== true;
    const last = isBlock ? (part.items.at(-1) as Node | NodePair | undefined) : undefined;
    return last ? this.#after(last) : this.#edits.lineAfter(part?.range?.[1] ?? 0);
  }
}

function findPair(map: YAMLMap, key: string): NodePair | undefined {
  return (map.items as unknown as NodePair[]).find((pair) => pair.key.value === key);
}

function dashed({ lines }: NewItem, indent: string): string[] {
  return lines.map((line, index) => (line === '' ? '' : `${indent}${index === 0 ? '-' : ' '} ${line}`));
}

function linesOf(block: string): string[] {
  return block.replace(/\n$/, '').split('\n');
}
