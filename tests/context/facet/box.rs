// Asks FACET's own box_model.rs: a case a line on the standard input, what it makes of it on the
// standard output. box_model.rs is compiled as it is; what it imports from its other files and
// crates is here in the little that it needs, since those need more crates. See record.py.
mod box_model;

pub mod errors {
    #[derive(Debug)]
    pub enum EngineError {
        UnknownLens { name: String },
        LensExecutionFailed { message: String },
        BudgetExceeded { budget: usize, required: usize },
    }
    pub type EngineResult<T> = Result<T, EngineError>;
}

pub mod r_dag {
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum ExecutionMode {
        Pure,
        Exec,
    }
}

pub mod fct_ast {
    pub type OrderedMap<K, V> = std::collections::BTreeMap<K, V>;
    #[derive(Debug, Clone)]
    pub enum ValueNode {
        String(String),
        List(Vec<ValueNode>),
        Map(OrderedMap<String, ValueNode>),
    }
    #[derive(Debug, Clone)]
    pub struct LensCallNode {
        pub name: String,
        pub args: Vec<ValueNode>,
        pub kwargs: OrderedMap<String, ValueNode>,
    }
    #[derive(Debug, Clone)]
    pub struct PipelineNode {
        pub lenses: Vec<LensCallNode>,
    }
}

pub mod fct_std {
    use crate::fct_ast::ValueNode;
    use std::collections::HashMap;

    #[derive(PartialEq)]
    pub enum TrustLevel {
        Pure,
    }
    pub struct LensContext {
        pub variables: HashMap<String, ValueNode>,
    }
    pub struct Signature {
        pub deterministic: bool,
        pub trust_level: TrustLevel,
    }
    pub struct Trim;
    impl Trim {
        pub fn signature(&self) -> Signature {
            Signature { deterministic: true, trust_level: TrustLevel::Pure }
        }
        pub fn execute(
            &self,
            value: ValueNode,
            _args: Vec<ValueNode>,
            _kwargs: HashMap<String, ValueNode>,
            _context: &LensContext,
        ) -> Result<ValueNode, String> {
            match value {
                ValueNode::String(text) => Ok(ValueNode::String(text.trim().to_string())),
                other => Ok(other),
            }
        }
    }
    pub struct LensRegistry(pub Trim);
    impl LensRegistry {
        pub fn get(&self, _name: &str) -> Option<&Trim> {
            Some(&self.0)
        }
    }
}

pub mod tokenizer {
    use crate::fct_ast::ValueNode;

    #[derive(Default)]
    pub struct Tokenizer;
    impl Tokenizer {
        pub fn new() -> Result<Self, String> {
            Ok(Self)
        }
        // The cases are in NFC and have no carriage returns.
        pub fn count_facet_units(&self, text: &str) -> usize {
            text.len()
        }
        pub fn count_facet_units_in_value(&self, value: &ValueNode) -> usize {
            match value {
                ValueNode::String(text) => self.count_facet_units(text),
                _ => 0,
            }
        }
    }
}

use box_model::{Section, TokenBoxModel};
use fct_ast::{LensCallNode, OrderedMap, PipelineNode, ValueNode};

fn section(field: &str) -> Section {
    let parts: Vec<&str> = field.splitn(5, '|').collect();
    let section = Section::new("s".into(), ValueNode::String(parts[4].into()), parts[4].len())
        .with_priority(parts[0].parse().unwrap())
        .with_limits(parts[1].parse().unwrap(), 0.0, parts[2].parse().unwrap());
    if parts[3].is_empty() {
        return section;
    }
    let trim = LensCallNode { name: "trim".into(), args: vec![], kwargs: OrderedMap::new() };
    section.with_strategy(PipelineNode { lenses: vec![trim] })
}

fn main() {
    let lenses = fct_std::LensRegistry(fct_std::Trim);
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (budget, fields) = line.split_once('\t').unwrap();
        let sections = fields.split('\t').map(section).collect();
        match TokenBoxModel::new(budget.parse().unwrap()).allocate(sections, &lenses) {
            Err(errors::EngineError::BudgetExceeded { required, .. }) => println!("{required}"),
            Err(error) => panic!("{error:?}"),
            Ok(found) => {
                print!("{}", found.overflow);
                for each in found.sections {
                    match each.section.content {
                        _ if each.was_dropped => print!("\t"),
                        ValueNode::String(text) => print!("\t{text}"),
                        _ => unreachable!(),
                    }
                }
                println!();
            }
        }
    }
}
